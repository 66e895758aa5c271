// The one place where cycles meet SystemC time. A core cycle is two units of SystemC's resolution:
// in the first half cores act, in the second half shared resources serve what was asked in the
// first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>

#include "observe/counters.hpp"

namespace davsim::memory {

using observe::Cycle;

inline constexpr Cycle kNever = ~Cycle{0};
inline constexpr std::uint64_t kUnitsPerCycle = 2;

/// How far CycleClock has gone ahead of SystemC, which catches up before anything else happens in
/// it: in units, from the start.
class LocalTime {
 public:
  /// In units: what is simulated now.
  static std::uint64_t now() {
    return std::max(reached_, static_cast<std::uint64_t>(sc_core::sc_time_stamp().value()));
  }

 private:
  friend class CycleClock;
  static inline std::uint64_t reached_ = 0;
};

inline Cycle current_cycle() {
  return LocalTime::now() / kUnitsPerCycle;
}

/// True in the second half of a cycle.
inline bool in_arbitration() {
  return LocalTime::now() % kUnitsPerCycle != 0;
}

/// What SystemC is to wait for from its own present on, so that `unit` begins; not over yet.
inline sc_core::sc_time until_unit(std::uint64_t unit) {
  return sc_core::sc_time::from_value(unit - sc_core::sc_time_stamp().value());
}

/// The same for the start of `cycle`.
inline sc_core::sc_time until(Cycle cycle) {
  return until_unit(cycle * kUnitsPerCycle);
}

}  // namespace davsim::memory
