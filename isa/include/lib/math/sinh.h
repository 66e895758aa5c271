// Hyperbolic sine.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = sinh(src). half, float.
DAVSIM_ELEMENT_FUNCTION(Sinh, DAVSIM_REUSE)

}  // namespace AscendC
