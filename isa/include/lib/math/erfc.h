// Complement of the error function.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = 1 - erf(src). half, float.
DAVSIM_ELEMENT_FUNCTION(Erfc, DAVSIM_REUSE)

}  // namespace AscendC
