// What projects of the language ASC include where they are built for the CPU twin
// (ASCENDC_CPU_DEBUG): their kernels are launched by <<<>>> all the same.
#ifndef DAVSIM_CPU_DEBUG_LAUNCH_H
#define DAVSIM_CPU_DEBUG_LAUNCH_H

#include "tikicpulib.h"

#endif
