// Tiling structs by the names that kernels have for them, and the kernel API, which sources expect
// to come along.
#pragma once

#include "kernel_operator.h"
#include "kernel_tiling/library_structs.h"
#include "kernel_tiling/mc2_tiling.h"
#include "kernel_tiling/tcube_tiling.h"

using AscendC::tiling::TCubeTiling;
