// Variables of which each core has its own: what kernels declare with __BLOCK_LOCAL__.
//
// All cores run in one process, and a variable of a kernel is one place in memory. The variables
// of all kernels are therefore put aside when another core runs on, and brought back for theirs.
// They lie in sections of their own of the binaries that kernels are linked into.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace davsim::isa {

class BlockLocals {
 public:
  ~BlockLocals();

  /// A block begins on this core: its variables have their initial values.
  void begin_block();
  /// This core runs on. Costs a comparison where no kernel has such variables, or none ran between.
  void run_on() {
    if (running_ != this && used_) bring_back();
  }
  /// The block has ended; nothing needs to be put aside any more.
  void end_block();

 private:
  void bring_back();

  bool used_ = false;              ///< there are such variables
  std::vector<std::byte> values_;  ///< put aside, of all sections one behind the other

  static BlockLocals* running_;  ///< whose values are in the variables
};

/// Memory of the variables in all binaries of this process.
std::vector<std::span<std::byte>> block_local_sections();

}  // namespace davsim::isa
