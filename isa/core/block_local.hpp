// Variables of which each core has its own: what kernels declare with __BLOCK_LOCAL__, and static
// variables of their functions.
//
// All cores run in one process, and a variable of a kernel is one place in memory. When another
// core continues, the values of the core before are put aside and those of the other core are
// brought back. Variables with __BLOCK_LOCAL__ lie in sections of their own of the binaries that
// kernels are linked into. Functions tell of their static variables when they are called for the
// first time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// A static variable of a function, which holds its initial value; and that its library is unloaded
/// or the process ends. davsim-cc writes an object behind the declaration that calls both.
extern "C" void davsim_tell_static(void* place, std::size_t bytes);
extern "C" void davsim_forget_static(void* place);

namespace davsim::isa {

class BlockLocals {
 public:
  ~BlockLocals();

  /// A block begins on this core: its variables have their initial values.
  void begin_block();
  /// This core runs on. Costs little where no kernel has such variables, or no core ran between.
  void run_on() {
    if (running_ == this) return;
    if (exist_) bring_back();
    running_ = this;
  }
  /// The block has ended; nothing needs to be put aside any more.
  void end_block();

 private:
  void bring_back();

  friend void ::davsim_tell_static(void* place, std::size_t bytes);

  std::vector<std::byte> values_;  ///< put aside, of all variables one behind the other

  static bool exist_;            ///< there are such variables
  static BlockLocals* running_;  ///< whose values are in the variables
};

/// Memory of the variables in all binaries of this process.
std::vector<std::span<std::byte>> block_local_sections();

}  // namespace davsim::isa
