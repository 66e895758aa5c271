// All that sources of operators use of the framework.
#pragma once

#include <ATen/ATen.h>

#include "torch_npu/csrc/core/npu/NPUFormat.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "torch_npu/csrc/core/npu/NpuVariables.h"
#include "torch_npu/csrc/framework/OpCommand.h"
#include "torch_npu/csrc/framework/utils/CalcuOpUtil.h"
#include "torch_npu/csrc/framework/utils/OpPreparation.h"

namespace at_npu::native {
/// The most dimensions that a tensor of an operator has.
inline constexpr int N = 32;
inline constexpr int SIZE = 8;
}  // namespace at_npu::native
