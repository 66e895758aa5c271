// The kernels of a library of operators: what is compiled, and which launch gets which.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runtime/opbuild/kernel_scan.hpp"

namespace davsim::opbuild {

struct BuildOptions {
  std::vector<std::filesystem::path> kernels;  ///< folders, the first that has a source counts
  std::filesystem::path out;                   ///< where everything is written
  std::vector<std::string> units;              ///< compute units to build for
  std::map<std::string, std::filesystem::path> files;  ///< kernel sources of single operators
  /// For kernels of single operators, by type or by name of the kernel: -D, -I, --cce-auto-sync=.
  std::map<std::string, std::vector<std::string>> options;
  CompilerCommand compiler;  ///< to look at kernels with
};

/// Writes, for every operator that is registered, the header of its tiling data and a source for
/// each kernel to compile, and for all of them operators.cmake, which adds the kernels to the
/// target ${davsim_operators_target}, and operators_table.cpp.
/// A kernel is compiled for each tiling key of its source, and for each column of its operator
/// whose macros differ in what the source uses.
/// Throws std::invalid_argument for a definition, a kernel or a folder that is not as it has to be.
void write_kernels(const BuildOptions& options);

}  // namespace davsim::opbuild
