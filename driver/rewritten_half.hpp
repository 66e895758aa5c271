// The compilations of davsim_add_kernel: those of CMake, with g++ reading what davsim-cc's own
// kernels are written in beyond C++.
#pragma once

#include "driver/process.hpp"

namespace davsim::driver {

/// Runs `command`, a compiler with options, one source behind -c and -o. Where the source, or a
/// file of the user's that it includes, has launches or explicit specialisations within a class,
/// the compiler gets them as half_source() writes them. Throws UsageError and Failed.
void compile_rewritten(const Command& command);

}  // namespace davsim::driver
