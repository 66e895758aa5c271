// Rounding up.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = the whole number that is not below src. half, float.
DAVSIM_ELEMENT_FUNCTION(Ceil, DAVSIM_REUSE)

}  // namespace AscendC
