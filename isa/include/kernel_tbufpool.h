// The kernel API under the name that kernels include its interface by: all of it.
#pragma once

#include "kernel_operator.h"
