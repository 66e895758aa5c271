// Which orders of a random kernel are needed.
#pragma once

#include <algorithm>

#include "tests/fuzz/kernel_program.hpp"

namespace davsim::test {

/// Follows the operations of a core in a phase and looks whether each access comes behind those
/// that it conflicts with.
class OrderFollower {
 public:
  /// Returns false if the operation is not ordered behind an earlier one that it conflicts with.
  bool follow(const Operation& op) {
    switch (op.step) {
      case Step::kAll:
        for (auto& known : known_) known = done_;
        return true;
      case Step::kBarrier:
        known_[index(op.from)][index(op.from)] = done_[index(op.from)];
        return true;
      case Step::kFlag: {
        auto seen = known_[index(op.from)];
        seen[index(op.from)] = done_[index(op.from)];
        auto& known = known_[index(op.then)];
        for (std::uint32_t i = 0; i < kUnits; ++i) known[i] = std::max(known[i], seen[i]);
        return true;
      }
      case Step::kLoad:
        return touch(Unit::kMte2, {row(op.a)}, {op.to});
      case Step::kStore:
        return touch(Unit::kMte3, {op.a}, {row(op.to)});
      case Step::kFill:
        return touch(Unit::kVector, {}, {op.to});
      case Step::kAdds:
      case Step::kMuls:
        return touch(Unit::kVector, {op.a}, {op.to});
      case Step::kAdd:
      case Step::kMul:
        return touch(Unit::kVector, {op.a, op.b}, {op.to});
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kUnits = 3;
  using Clock = std::array<std::uint32_t, kUnits>;
  struct Last {
    Clock read{}, written{};  ///< number of the last operation of each unit
  };

  static std::uint32_t index(Unit unit) { return static_cast<std::uint32_t>(unit); }
  static std::uint32_t row(std::uint32_t number) { return KernelProgram::kBuffers + number; }

  bool touch(Unit unit, const std::vector<std::uint32_t>& reads,
             const std::vector<std::uint32_t>& writes) {
    const Clock& known = known_[index(unit)];
    const auto behind = [&](const Clock& last) {
      return std::equal(last.begin(), last.end(), known.begin(), std::less_equal<>());
    };
    bool ordered = true;
    for (const std::uint32_t place : reads) ordered &= behind(places_[place].written);
    for (const std::uint32_t place : writes) {
      ordered &= behind(places_[place].written) && behind(places_[place].read);
    }
    const std::uint32_t number = ++done_[index(unit)];
    for (const std::uint32_t place : reads) places_[place].read[index(unit)] = number;
    for (const std::uint32_t place : writes) places_[place].written[index(unit)] = number;
    return ordered;
  }

  std::array<Clock, kUnits> known_{};  ///< by each unit, of each unit
  Clock done_{};
  std::array<Last, 256 + KernelProgram::kBuffers> places_{};  ///< buffers, then rows
};

/// Whether the program without its order `left_out` still orders all accesses. An order may be
/// implied by a later one of the same operation: a flag from a pipe that had itself waited for this
/// one.
inline bool ordered_without(const KernelProgram& program, std::uint32_t left_out) {
  bool ordered = true;
  std::uint32_t number = 0;
  for (const auto& phase : program.phases) {
    for (const auto& operations : phase) {
      OrderFollower core;  // each phase ends with PipeBarrier<PIPE_ALL>()
      for (const Operation& op : operations) {
        const bool order = op.step == Step::kFlag || op.step == Step::kBarrier;
        if (!order || number++ != left_out) ordered &= core.follow(op);
      }
    }
  }
  return ordered;
}

}  // namespace davsim::test
