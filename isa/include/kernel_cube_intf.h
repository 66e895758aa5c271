// The kernel API under the name that kernels include its part of the cube cores by: all of it.
#pragma once

#include "kernel_operator.h"
