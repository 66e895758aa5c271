// Cosine.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = cos(src); |src| up to 65504. half, float.
DAVSIM_ELEMENT_FUNCTION(Cos, DAVSIM_REUSE)

}  // namespace AscendC
