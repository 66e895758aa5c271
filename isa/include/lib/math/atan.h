// Inverse tangent.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = arctan(src). half, float.
DAVSIM_ELEMENT_FUNCTION(Atan, DAVSIM_REUSE)

}  // namespace AscendC
