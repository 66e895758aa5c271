// Fractions.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src - Trunc(src). half, float.
DAVSIM_ELEMENT_FUNCTION(Frac, DAVSIM_REUSE)

}  // namespace AscendC
