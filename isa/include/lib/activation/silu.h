// SiLU.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src / (1 + exp(-src)). half, float.
DAVSIM_ELEMENT_FUNCTION(Silu, DAVSIM_REUSE)

}  // namespace AscendC
