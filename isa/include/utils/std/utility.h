// Integer sequences of AscendC::Std, under the name that kernels include.
#pragma once

#include "ascendc/language.h"
