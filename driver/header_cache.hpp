// The kernel API's headers compiled once a user: reading them takes twice as long as a small
// kernel.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/toolchain.hpp"

namespace davsim::driver {

/// A header that a compilation includes first.
struct CachedHeader {
  std::string header;  ///< path for -include; g++ takes the compiled one beside it where it fits
  /// What it was compiled from: the identity of the compiled one, and all its files.
  std::string identity;
  std::set<std::string> files;
};

/// The headers `names` compiled with `flags`, if the cache has them and each of their files is what
/// it was, by content.
/// Else nothing, and a process of low priority begins to compile them: the compilation that asks
/// does not wait.
std::optional<CachedHeader> cached_header(const Toolchain& toolchain,
                                          const std::vector<std::string>& names,
                                          const std::vector<std::string>& flags);

/// The next compilation makes it anew.
void forget_header(const CachedHeader& header);

}  // namespace davsim::driver
