// The SIMD C API: the state in which a kernel begins.
#pragma once

#include "kernel_operator.h"

#define ASC_IS_AIC ASCEND_IS_AIC
#define ASC_IS_AIV ASCEND_IS_AIV

/// No atomics, normal mode and a full mask.
inline void asc_init() {
  AscendC::InitSocState();
}
