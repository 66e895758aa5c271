// Inverse cosine.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = arccos(src); NaN outside of -1 to 1. half, float.
DAVSIM_ELEMENT_FUNCTION(Acos, DAVSIM_REUSE)

}  // namespace AscendC
