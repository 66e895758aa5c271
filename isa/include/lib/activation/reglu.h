// ReGLU.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src0 * Relu(src1). half, bfloat16_t, float.
DAVSIM_ELEMENT_FUNCTION_OF_TWO(ReGlu)

}  // namespace AscendC
