// Tangent.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = tan(src); |src| up to 65504. half, float.
DAVSIM_ELEMENT_FUNCTION(Tan, DAVSIM_REUSE)

}  // namespace AscendC
