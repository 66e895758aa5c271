// The instructions that a kernel has emitted and the scalar unit has not issued yet.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "isa/instr/decoded_instr.hpp"

namespace davsim::sim {

/// The host runs a kernel's code ahead of the scalar unit by the size of this queue. The host then
/// switches to the thread of another core once in many instructions. Without the queue it would
/// switch at every instruction that stalls on a full queue of a pipe.
class ProgramQueue {
 public:
  /// The kernel is suspended at kMost instructions and continues when kFew are left.
  static constexpr std::uint32_t kMost = 64, kFew = 16;

  bool empty() const { return first_ == last_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(last_ - first_); }
  void push(const isa::DecodedInstr& instr) {
    assert(size() < kMost);
    slots_[last_++ % kMost] = instr;
  }
  const isa::DecodedInstr& front() const { return slots_[first_ % kMost]; }
  void pop() { ++first_; }
  void clear() { first_ = last_; }

 private:
  std::array<isa::DecodedInstr, kMost> slots_;
  std::uint64_t first_ = 0, last_ = 0;
};

}  // namespace davsim::sim
