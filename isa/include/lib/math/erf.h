// Error function.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = erf(src). half, float.
DAVSIM_ELEMENT_FUNCTION(Erf, DAVSIM_REUSE)

}  // namespace AscendC
