// Options of the environment.
#pragma once

#include "torch_npu/csrc/core/npu/register/OptionsManager.h"
