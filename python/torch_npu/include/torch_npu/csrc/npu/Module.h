// What the Python module has.
#pragma once

#include "torch_npu/csrc/core/npu/NPUStream.h"
