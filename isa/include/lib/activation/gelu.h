// GELU and two approximations of it.
#pragma once

#include "ascendc/vector_function.h"

#define DAVSIM_GELU_SWITCHES bool highPrecision = false, bool highPerformance = false

namespace AscendC {

/// dst = src / (1 + exp(-1.5957691 (src + 0.044715 src^3))). half, float; both switches change
/// nothing.
DAVSIM_ELEMENT_FUNCTION(Gelu, DAVSIM_GELU_SWITCHES)
/// dst = src / (1 + exp(-1.702 src)).
DAVSIM_ELEMENT_FUNCTION(FasterGelu, DAVSIM_GELU_SWITCHES)
/// dst = src (sign(src + 1e-12) (0.5 - 0.1444 (min(|0.7071 src|, 1.769) - 1.769)^2) + 0.5).
DAVSIM_ELEMENT_FUNCTION(FasterGeluV2, DAVSIM_GELU_SWITCHES)

}  // namespace AscendC

#undef DAVSIM_GELU_SWITCHES
