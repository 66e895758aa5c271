// The kernel API under the name that kernels include its part of the vector cores by: all of it.
#pragma once

#include "kernel_operator.h"
