// Sine.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = sin(src); |src| up to 65504. half, float.
DAVSIM_ELEMENT_FUNCTION(Sin, DAVSIM_REUSE)

}  // namespace AscendC
