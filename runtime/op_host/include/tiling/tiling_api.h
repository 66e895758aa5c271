// What programs and tiling functions include for the tiling of the high-level API, and for the
// platform and tiling data, which come along. Each part of the API has a header of its own.
#pragma once

#include "lib/activation/softmax_tiling.h"
#include "lib/element_tiling.h"
#include "lib/matmul/matmul_tiling.h"
#include "lib/norm_tiling.h"
#include "lib/rows_tiling.h"
#include "lib/shape_tiling.h"
#include "register/tilingdata_base.h"
#include "tiling/hccl/hccl_tiling.h"
#include "tiling/platform/platform_ascendc.h"
