// GeGLU.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src0 * Gelu(src1). half, float.
DAVSIM_ELEMENT_FUNCTION_OF_TWO(GeGLU)

}  // namespace AscendC
