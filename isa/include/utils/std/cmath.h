// Abs, sqrt and ceil_div of AscendC::Std, under the name that kernels include.
#pragma once

#include "ascendc/language.h"
