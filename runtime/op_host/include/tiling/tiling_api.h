// What tiling functions include for the tiling of the high-level API, which davsim does not have,
// and for the platform, which comes along.
#pragma once

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
