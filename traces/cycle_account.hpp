// Gives every cycle of a pipe to a class, in the order of time, and to a source line if asked.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "traces/cycle_classes.hpp"

namespace davsim::traces {

class CycleAccount {
 public:
  /// Who is answerable for cycles.
  struct Cause {
    CycleClass cycle_class = CycleClass::kBusy;
    isa::Pipe from = isa::Pipe::ALL;
    isa::SourceLocation where, set_at;
  };

  /// Starts a launch at `now`.
  void begin(Cycle now, bool by_line);
  /// Everything before this cycle has its class.
  Cycle until() const { return until_; }
  /// The next `cycles` cycles; 0 counts as an instruction of the line all the same.
  void add(const Cause& cause, Cycle cycles);
  /// The cycles up to `end`; nothing if they have their class.
  void fill(const Cause& cause, Cycle end) {
    if (end > until_) add(cause, end - until_);
  }
  /// The same, of cycles that no line is answerable for.
  void fill(CycleClass cycle_class, Cycle end);

  const CycleCounts& cycles() const { return cycles_; }
  /// Most cycles first.
  std::vector<LineCycles> lines() const;

 private:
  struct SameCause {
    bool operator()(const Cause& a, const Cause& b) const;
  };
  struct HashCause {
    std::size_t operator()(const Cause& cause) const;
  };
  struct Sum {
    std::uint64_t times = 0;
    Cycle cycles = 0;
  };

  Cycle until_ = 0;
  bool by_line_ = false;
  CycleCounts cycles_{};
  std::unordered_map<Cause, Sum, HashCause, SameCause> lines_;
};

}  // namespace davsim::traces
