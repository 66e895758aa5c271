// The kernel API under the name that kernels include its part of tiling data by: all of it.
#pragma once

#include "kernel_operator.h"
