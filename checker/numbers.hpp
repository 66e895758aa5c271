// The numbers that an instruction reads and writes: infinities, NaN, results that saturate.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "isa/exec/accesses.hpp"

namespace davsim::checker {

/// The reported effects of an instruction on numbers.
struct NumberEvent {
  std::uint64_t nonfinite = 0;  ///< NaN and infinities made from finite numbers
  std::uint64_t saturated = 0;  ///< results that their type cannot hold
};

class Numbers {
 public:
  explicit Numbers(const isa::CoreMemory& memory) : memory_(memory) {}

  /// The instruction starts. Reads its sources.
  void issued(const isa::DecodedInstr& instr, const isa::AccessList& accesses);
  /// The instruction has taken effect. Reads its results.
  NumberEvent ended(const isa::DecodedInstr& instr, isa::AccessList& accesses);
  void clear() {
    for (auto& queue : pending_) queue.clear();
  }

 private:
  struct Pending {
    bool finite = true;
    std::uint64_t saturated = 0;
  };
  const isa::CoreMemory& memory_;
  std::array<std::deque<Pending>, isa::kPipeCount> pending_;
};

}  // namespace davsim::checker
