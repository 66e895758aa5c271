// printf, DumpTensor, assertions and time stamps of kernels: all of the kernel API.
#pragma once

#include "kernel_operator.h"
