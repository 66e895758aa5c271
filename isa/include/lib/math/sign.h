// Signs.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = -1, 0 or 1. half, float.
DAVSIM_ELEMENT_FUNCTION(Sign, DAVSIM_REUSE)

}  // namespace AscendC
