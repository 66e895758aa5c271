// Where the compiler, davsim's headers and its libraries are.
#pragma once

#include <string>
#include <vector>

namespace davsim::driver {

struct Toolchain {
  std::string version;
  std::string compiler;               ///< DAVSIM_CXX, or what davsim was built with
  std::vector<std::string> includes;  ///< folders that sources include davsim's headers from
  std::vector<std::string> flags;     ///< of every compilation: -ffp-contract=off
  /// Of every compilation of kernels: the plugin that counts their scalar instructions.
  std::vector<std::string> kernel_flags;
  std::vector<std::string> link;  ///< what a program is linked with
  std::string linker, objcopy, archiver;
  /// Folder for compiled kernel headers and objects; empty: none are kept.
  std::string cache;
  bool uses_compiled_headers = true;
};

/// Reads ../lib/davsim/davsim-cc.conf from the folder of the running program: lines `key = value`
/// in which ${root} stands for the folder above bin/. Throws std::runtime_error naming what is
/// missing.
Toolchain find_toolchain();

}  // namespace davsim::driver
