// Hyperbolic tangent.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = tanh(src). half, float.
DAVSIM_ELEMENT_FUNCTION(Tanh, DAVSIM_REUSE)

}  // namespace AscendC
