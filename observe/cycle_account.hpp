// Assigns every cycle of a pipe, in the order of time, to a class and, if requested, to a line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "observe/cycle_classes.hpp"

namespace davsim::observe {

/// The cause of cycles: a class and a source line.
struct Cause {
  CycleClass cycle_class = CycleClass::kBusy;
  isa::Pipe from = isa::Pipe::ALL;
  isa::SourceLocation where, set_at;
};

/// Cycles by cause. Names of files are compared as pointers: the same line of a header in two
/// translation units may be counted twice, and is added up where reports are made.
class CauseTable {
 public:
  struct Row {
    Cause cause;
    std::uint64_t times = 0;  ///< 0: nothing stands here
    Cycle cycles = 0;
  };

  void add(const Cause& cause, std::uint64_t times, Cycle cycles);
  /// Prefetches the row of this cause into the host's caches.
  void prefetch(const Cause& cause) const { __builtin_prefetch(&places_[home(cause)], 1); }
  void clear();
  /// In no particular order.
  std::vector<LineCycles> lines() const;

 private:
  static constexpr std::size_t kFirstPlaces = 32;  // a power of two, as all later numbers of places

  std::size_t home(const Cause& cause) const;  ///< where it is looked for first
  /// The row of this cause, or the empty slot for it.
  Row& place_of(const Cause& cause);
  void grow();

  std::vector<Row> places_ = std::vector<Row>(kFirstPlaces);
  std::size_t used_ = 0;  ///< of these; at most half
};

class CycleAccount {
 public:
  using Cause = observe::Cause;

  /// Starts a launch at `now`.
  void begin(Cycle now, bool by_line);
  /// All cycles before this one have a class.
  Cycle until() const { return until_; }
  /// Assigns the next `cycles` cycles. 0 cycles also count as an instruction of the line.
  void add(const Cause& cause, Cycle cycles);
  /// Assigns the cycles up to `end`; does nothing if they have a class.
  void fill(const Cause& cause, Cycle end) {
    if (end > until_) add(cause, end - until_);
  }
  /// The same for cycles without a source line.
  void fill(CycleClass cycle_class, Cycle end);

  const CycleCounts& cycles() const { return cycles_; }
  /// Most cycles first.
  std::vector<LineCycles> lines();

 private:
  struct Step {
    Cause cause;
    Cycle cycles = 0;
  };
  static constexpr std::size_t kMostSteps = 8;

  /// Adds the steps to their lines, some at once: hundreds of pipes have their lines, so that the
  /// host's caches hold hardly any of them when it is needed, and misses then overlap.
  void count_steps();

  Cycle until_ = 0;
  bool by_line_ = false;
  CycleCounts cycles_{};
  std::array<Step, kMostSteps> steps_;
  std::size_t step_count_ = 0;
  CauseTable lines_;
};

}  // namespace davsim::observe
