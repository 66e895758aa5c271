// Functions of tensors on npu.
#pragma once

#include "torch_npu/csrc/aten/NPUNativeFunctions.h"
