// Inverse hyperbolic cosine.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = arcosh(src); NaN below 1. half, float.
DAVSIM_ELEMENT_FUNCTION(Acosh, DAVSIM_REUSE)

}  // namespace AscendC
