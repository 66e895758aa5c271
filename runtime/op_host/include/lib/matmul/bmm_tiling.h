// The header that programs include for tilings of several cores and of batches.
#pragma once

#include "lib/matmul/matmul_tiling.h"
