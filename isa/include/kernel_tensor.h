// The kernel API under the name that kernels include its part of tensors by: all of it.
#pragma once

#include "kernel_operator.h"
