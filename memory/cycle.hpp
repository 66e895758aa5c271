// The one place where cycles meet SystemC time. Simulated time is counted in units, two to a cycle
// of the core clock: in the first half of a cycle cores act, in the second half shared resources
// serve what was asked in the first. SystemC's own time is real time, so that TLM-2.0 models with
// latencies in nanoseconds can stand behind a die.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <systemc>

#include "observe/counters.hpp"

namespace davsim::memory {

using observe::Cycle;

inline constexpr Cycle kNever = ~Cycle{0};
inline constexpr std::uint64_t kUnitsPerCycle = 2;

/// How long a unit is in ticks of SystemC's resolution: a ratio, since 1.8 GHz has no whole number
/// of picoseconds. One for the process, as SystemC's time is.
class ClockPeriod {
 public:
  /// To be called before anything is simulated; until then a cycle has a nanosecond.
  static void set(double mhz) {
    const double ticks_per_us = 1e-6 / sc_core::sc_get_time_resolution().to_seconds();
    const auto ticks = static_cast<std::uint64_t>(ticks_per_us + 0.5),
               units = static_cast<std::uint64_t>(mhz * kUnitsPerCycle + 0.5);
    // A clock that is finer than SystemC's resolution would lose units.
    const std::uint64_t common = std::gcd(ticks, units);
    ticks_ = ticks < units ? 1 : ticks / common;
    units_ = ticks < units ? 1 : units / common;
  }
  /// The first tick of a unit.
  static std::uint64_t ticks_of(std::uint64_t unit) {
    return (unit * ticks_ + units_ - 1) / units_;
  }
  /// The unit that a tick lies in.
  static std::uint64_t unit_of(std::uint64_t ticks) { return ticks * units_ / ticks_; }

 private:
  static inline std::uint64_t ticks_ = 500, units_ = 1;
};

/// How far CycleClock has gone ahead of SystemC, which catches up before anything else happens in
/// it: in units, from the start.
class LocalTime {
 public:
  /// In units: what is simulated now.
  static std::uint64_t now() {
    const std::uint64_t ticks = sc_core::sc_time_stamp().value();
    if (ticks != seen_ticks_) {
      seen_ticks_ = ticks;
      seen_unit_ = ClockPeriod::unit_of(ticks);
    }
    return std::max(reached_, seen_unit_);
  }

 private:
  friend class CycleClock;
  static inline std::uint64_t reached_ = 0;
  static inline std::uint64_t seen_ticks_ = 0, seen_unit_ = 0;  ///< SystemC's time, last asked for
};

inline Cycle current_cycle() {
  return LocalTime::now() / kUnitsPerCycle;
}

/// True in the second half of a cycle.
inline bool in_arbitration() {
  return LocalTime::now() % kUnitsPerCycle != 0;
}

/// What SystemC is to wait for from its own present on, so that `unit` begins; zero if it has.
inline sc_core::sc_time until_unit(std::uint64_t unit) {
  const std::uint64_t ticks = ClockPeriod::ticks_of(unit), now = sc_core::sc_time_stamp().value();
  return sc_core::sc_time::from_value(ticks > now ? ticks - now : 0);
}

/// The same for the start of `cycle`.
inline sc_core::sc_time until(Cycle cycle) {
  return until_unit(cycle * kUnitsPerCycle);
}

/// What simulated time is ahead of SystemC's: the local offset of TLM-2.0's temporal decoupling.
inline sc_core::sc_time local_offset() {
  return until_unit(LocalTime::now());
}

/// The first cycle that begins at SystemC's present plus `delay` or later.
inline Cycle cycle_after(const sc_core::sc_time& delay) {
  const std::uint64_t ticks = sc_core::sc_time_stamp().value() + delay.value();
  Cycle cycle = ClockPeriod::unit_of(ticks) / kUnitsPerCycle;
  while (ClockPeriod::ticks_of(cycle * kUnitsPerCycle) < ticks) ++cycle;
  return cycle;
}

}  // namespace davsim::memory
