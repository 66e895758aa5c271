// Sources include the framework by this name as well.
#pragma once

#include "torch_npu/csrc/framework/utils/OpAdapter.h"
