// Which C++ sources hold kernels or launches although their names do not say so.
#pragma once

#include <string>

#include "driver/options.hpp"

namespace davsim::driver {

/// Whether the source, or a file of the user's that it includes, says __global__, <<< or
/// kernel_operator. Files are looked for in the folder of the one that includes them and in those
/// of -I.
bool looks_mixed(const std::string& path, const Options& options);

}  // namespace davsim::driver
