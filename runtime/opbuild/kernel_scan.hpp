// What the build has to know of a kernel's source: asked of the compiler's preprocessor, so that
// macros and included files count.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace davsim::opbuild {

/// Compiler and options of a kernel's compilation.
using CompilerCommand = std::vector<std::string>;

struct KernelScan {
  std::set<std::uint64_t> keys;       ///< of TILING_KEY_IS; empty: the source asks for none
  std::set<std::string> used_macros;  ///< macros that the source uses or tests
  bool multiplies = false;            ///< it names what only cube cores do
  bool computes_vectors = false;
};

/// Preprocesses `source` for both core types. `interesting`: macros to look out for. Throws
/// std::invalid_argument with the preprocessor's messages, or naming the key that is no number.
KernelScan scan_kernel(const CompilerCommand& compiler, const std::filesystem::path& source,
                       const std::set<std::string>& interesting);

}  // namespace davsim::opbuild
