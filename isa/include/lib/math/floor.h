// Rounding down.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = the whole number that is not above src. half, float.
DAVSIM_ELEMENT_FUNCTION(Floor, DAVSIM_REUSE)

}  // namespace AscendC
