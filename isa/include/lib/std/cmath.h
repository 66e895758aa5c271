// AscendC::Std under the name of an older folder.
#pragma once

#include "utils/std/cmath.h"
