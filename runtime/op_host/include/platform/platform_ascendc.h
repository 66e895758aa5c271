// Sizes and counts of a SoC under a newer name.
#pragma once

#include "tiling/platform/platform_ascendc.h"
