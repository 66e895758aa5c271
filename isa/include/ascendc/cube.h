// The cube side of the kernel API: L1 to L0, matrix products, results out of L0C.
#pragma once

#include "ascendc/cube_fill.h"
#include "ascendc/cube_fixpipe.h"
#include "ascendc/cube_fixpipe_bursts.h"
#include "ascendc/cube_load.h"
#include "ascendc/cube_mmad.h"
#include "ascendc/cube_params.h"
