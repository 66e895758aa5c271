// Inverse hyperbolic tangent.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = artanh(src); NaN outside of -1 to 1. half, float.
DAVSIM_ELEMENT_FUNCTION(Atanh, DAVSIM_REUSE)

}  // namespace AscendC
