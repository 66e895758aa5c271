// Digamma function.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = the derivative of log(gamma(src)). half, float.
DAVSIM_ELEMENT_FUNCTION(Digamma, DAVSIM_REUSE)

}  // namespace AscendC
