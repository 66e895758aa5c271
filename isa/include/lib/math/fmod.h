// Remainders.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src0 - Trunc(src0 / src1) * src1. half, float.
DAVSIM_ELEMENT_FUNCTION_OF_TWO(Fmod)

}  // namespace AscendC
