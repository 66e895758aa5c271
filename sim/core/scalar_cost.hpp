// What the scalar unit executes around an instruction that it issues: the kernel's own code before
// the call, and the instructions of the call itself.
#pragma once

#include <cstdint>

#include "isa/core/scalar_work.hpp"
#include "isa/instr/instr.hpp"
#include "observe/cycle_classes.hpp"
#include "sim/soc/timing_table.hpp"

namespace davsim::sim {

using observe::Cycle;

struct ScalarCost {
  Cycle before = 0;  ///< cycles of the kernel's own code, and of bookkeeping, before the call
  Cycle call = 0;    ///< cycles of the call beyond the issue of its instruction
  /// The code before the call needs what was loaded: it decides something, or computes.
  bool uses_loads = false;
  /// The code before the call branches or calls functions.
  bool jumps = false;
  bool is_region = false;        ///< there is no call: a loop of the kernel's own code has ended
  std::uint64_t place = 0;       ///< of the call in the kernel's code; 0: unknown
  std::uint32_t code_bytes = 0;  ///< of the call and of the code before it
};

/// Turns the counts of a kernel into cycles. A kernel that was compiled without the plugin has no
/// places, and its scalar work takes no time.
class ScalarCosts {
 public:
  explicit ScalarCosts(const ScalarTiming& timing) : timing_(timing) {}

  /// `takes_time`: the work of the kernel that begins does.
  void begin_block(bool takes_time);
  /// The cost of the next instruction of the kernel, and of what it did before.
  ScalarCost next(const isa::Instr& instr);
  /// The cost of a scalar load or store, or of another operation of the scalar unit.
  ScalarCost next(isa::ScalarForm form);
  /// The cost of a loop of the kernel's own code.
  ScalarCost next_region();
  /// What the kernel's own code has executed, where a pointer shows that it was compiled with the
  /// plugin. Its calls and its place stay for the next call.
  Cycle own_work();
  /// Whether work takes time, if it is counted.
  bool takes_time() const { return takes_time_ && timing_.work > 0; }
  /// Whether the running kernel counts its work, and the work takes time.
  bool counted() const { return (place_ != 0 || counts_) && timing_.work > 0; }

 private:
  ScalarCost cost(isa::ScalarForm form);
  Cycle whole(double cycles);

  const ScalarTiming& timing_;
  std::uint64_t place_ = 0;
  bool takes_time_ = true, entered_ = false;
  bool counts_ = false;  ///< known from a pointer
  double rest_ = 0;      ///< of a cycle, not spent yet
};

}  // namespace davsim::sim
