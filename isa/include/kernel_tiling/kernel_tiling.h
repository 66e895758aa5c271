// Tiling structs by the names that kernels have for them, and the kernel API, which sources expect
// to come along. Host sources of C++17, or without the kernel API at hand, get the structs alone.
#pragma once

#if __cplusplus >= 202002L && __has_include("kernel_operator.h")
#include "kernel_operator.h"
#endif
#include "kernel_tiling/library_structs.h"
#include "kernel_tiling/mc2_tiling.h"
#include "kernel_tiling/tcube_tiling.h"

using AscendC::tiling::TCubeTiling;
