// Logarithm of the gamma function.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = log(|gamma(src)|). half, float.
DAVSIM_ELEMENT_FUNCTION(Lgamma, DAVSIM_REUSE)

}  // namespace AscendC
