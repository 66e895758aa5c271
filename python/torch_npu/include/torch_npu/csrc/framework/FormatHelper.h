// Layouts of tensors.
#pragma once

#include "torch_npu/csrc/core/npu/NPUFormat.h"
