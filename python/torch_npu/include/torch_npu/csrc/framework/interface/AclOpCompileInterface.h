// Operators by name are not compiled here.
#pragma once

#include "torch_npu/csrc/framework/utils/OpAdapter.h"
