// The kernel-facing API: what device code includes. Names, signatures and semantics follow the
// public Ascend C documentation for NPU architecture 2201 (Atlas A2, Atlas A3).
#pragma once

#include "ascendc/hide_macros.h"

// Some headers of kernels include it between extern "C" { and }.
extern "C++" {
#include "ascendc/block_sync.h"
#include "ascendc/cache.h"
#include "ascendc/cube.h"
#include "ascendc/data_copy.h"
#include "ascendc/debug.h"
#include "ascendc/fill_global.h"
#include "ascendc/group_barrier.h"
#include "ascendc/hccl_context.h"
#include "ascendc/intrinsics.h"
#include "ascendc/language.h"
#include "ascendc/launch_argument.h"
#include "ascendc/layout.h"
#include "ascendc/list_tensor.h"
#include "ascendc/scalar.h"
#include "ascendc/sync.h"
#include "ascendc/system.h"
#include "ascendc/tensor.h"
#include "ascendc/tiling.h"
#include "ascendc/tpipe.h"
#include "ascendc/type_tools.h"
#include "ascendc/types.h"
#include "ascendc/unsupported.h"
#include "ascendc/vector.h"
#include "ascendc/vector_function.h"
#include "lib/kernel_api.h"
}  // extern "C++"

#include "ascendc/show_macros.h"
