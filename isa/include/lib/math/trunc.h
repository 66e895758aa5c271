// Rounding towards zero.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src without its fraction. half, float.
DAVSIM_ELEMENT_FUNCTION(Trunc, DAVSIM_REUSE)

}  // namespace AscendC
