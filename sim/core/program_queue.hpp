// The instructions that a kernel has emitted and the scalar unit has not issued yet.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "isa/instr/decoded_instr.hpp"
#include "sim/core/scalar_cost.hpp"

namespace davsim::sim {

/// The host runs a kernel's code ahead of the scalar unit by the size of this queue. The host then
/// switches to the thread of another core once in many instructions. Without the queue it would
/// switch at every instruction that stalls on a full queue of a pipe.
class ProgramQueue {
 public:
  /// The kernel is suspended at kMost instructions and continues when kFew are left.
  static constexpr std::uint32_t kMost = 32, kFew = 4;

  bool empty() const { return first_ == last_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(last_ - first_); }
  void push(const isa::DecodedInstr& instr, const ScalarCost& cost) {
    assert(size() < kMost);
    // An empty queue starts again at its first slots, because the host's caches hold these.
    if (empty()) first_ = last_ = 0;
    const std::uint64_t slot = last_++ % kMost;
    slots_[slot] = instr;
    costs_[slot] = cost;
  }
  const isa::DecodedInstr& front() const { return slots_[first_ % kMost]; }
  /// What the scalar unit executes around the first instruction.
  const ScalarCost& front_cost() const { return costs_[first_ % kMost]; }
  void pop() { ++first_; }
  void clear() { first_ = last_; }

 private:
  std::array<isa::DecodedInstr, kMost> slots_;
  std::array<ScalarCost, kMost> costs_;
  std::uint64_t first_ = 0, last_ = 0;
};

}  // namespace davsim::sim
