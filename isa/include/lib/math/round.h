// Rounding to the nearest.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = the nearest whole number, halves to the even one. half, float.
DAVSIM_ELEMENT_FUNCTION(Round, DAVSIM_REUSE)

}  // namespace AscendC
