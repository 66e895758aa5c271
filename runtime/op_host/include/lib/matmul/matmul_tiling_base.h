// Another name of the header.
#pragma once

#include "lib/matmul/matmul_tiling.h"
