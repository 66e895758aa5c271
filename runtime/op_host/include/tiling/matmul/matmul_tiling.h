// Another name of the header of matrix tilings.
#pragma once

#include "lib/matmul/matmul_tiling.h"
