// Compiles one source with kernels into one object, which holds the host's code and, as local
// functions, the kernels' halves.
#pragma once

#include <string>

#include "driver/options.hpp"
#include "driver/process.hpp"
#include "driver/toolchain.hpp"

namespace davsim::driver {

/// Throws Failed when the compiler has said what is wrong, std::invalid_argument ("file:line:
/// error: ...") for a kernel or a launch that cannot be read.
void compile_mixed(const Options& options, const Toolchain& toolchain, const std::string& source,
                   const std::string& object, const TemporaryFolder& temporary);

/// What the host's compilation gets, for -E. `dependencies` are written beside.
std::string preprocessed_host(const Options& options, const Toolchain& toolchain,
                              const std::string& source, const std::string& object,
                              const TemporaryFolder& temporary);

}  // namespace davsim::driver
