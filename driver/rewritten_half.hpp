// The compilations of davsim_add_kernel: those of CMake, with g++ reading what davsim-cc's own
// kernels are written in beyond C++.
#pragma once

#include "driver/process.hpp"

namespace davsim::driver {

/// Runs `command`, a compiler with options, one source behind -c and -o. Where the source, or a
/// file of the user's that it includes, has launches, explicit specialisations within a class,
/// kernels named like functions of the C library, attributes for the cores of a kernel or static
/// variables, the compiler gets them as half_source() writes them, and for the last the sections of
/// __vector__ and its like. Throws UsageError and Failed.
void compile_rewritten(const Command& command);

}  // namespace davsim::driver
