// Which C++ sources hold kernels or launches although their names do not say so.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/options.hpp"

namespace davsim::driver {

/// Whether the source, or a file of the user's that it includes, says __global__, <<< or
/// kernel_operator. Files are looked for in the folder of the one that includes them and in those
/// of -I.
bool looks_mixed(const std::string& path, const Options& options);

/// Whether one of these files says one of the words. The folders are those of -I among `options`.
bool mentions(const std::string& path, const std::vector<std::string>& options,
              std::span<const std::string_view> words);

}  // namespace davsim::driver
