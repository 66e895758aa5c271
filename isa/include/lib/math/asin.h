// Inverse sine.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = arcsin(src); NaN outside of -1 to 1. half, float.
DAVSIM_ELEMENT_FUNCTION(Asin, DAVSIM_REUSE)

}  // namespace AscendC
