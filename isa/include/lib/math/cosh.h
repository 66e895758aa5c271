// Hyperbolic cosine.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = cosh(src). half, float.
DAVSIM_ELEMENT_FUNCTION(Cosh, DAVSIM_REUSE)

}  // namespace AscendC
