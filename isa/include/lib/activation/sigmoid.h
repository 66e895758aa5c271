// Sigmoid.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = 1 / (1 + exp(-src)). half, float.
DAVSIM_ELEMENT_FUNCTION(Sigmoid, DAVSIM_REUSE)

}  // namespace AscendC
