// Inverse hyperbolic sine.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = arsinh(src). half, float.
DAVSIM_ELEMENT_FUNCTION(Asinh, DAVSIM_REUSE)

}  // namespace AscendC
