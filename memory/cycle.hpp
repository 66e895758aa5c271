// The one place that converts cycles to SystemC time. Simulated time is counted in units. A cycle
// of the core clock has two units. Cores act in the first one. In the second one, shared resources
// serve the requests of the first. SystemC's own time is real time, so that TLM-2.0 models with
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

/// The length of a unit in ticks of SystemC's resolution. The length is a ratio, because a cycle of
/// 1.8 GHz is no whole number of picoseconds. The process has one clock period, as it has one
/// SystemC time.
class ClockPeriod {
 public:
  /// Must be called before the simulation starts. The default is a cycle of one nanosecond.
  static void set(double mhz) {
    const double ticks_per_us = 1e-6 / sc_core::sc_get_time_resolution().to_seconds();
    const auto ticks = static_cast<std::uint64_t>(ticks_per_us + 0.5),
               units = static_cast<std::uint64_t>(mhz * kUnitsPerCycle + 0.5);
    // Units shorter than SystemC's resolution would coincide.
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

/// The time up to which CycleClock has run ahead of SystemC, in units from the start. SystemC
/// catches up before any other SystemC process runs.
class LocalTime {
 public:
  /// The simulated time now, in units.
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
  static inline std::uint64_t seen_ticks_ = 0,
                              seen_unit_ =
                                  0;  ///< SystemC's time at the last call, in ticks and units
};

inline Cycle current_cycle() {
  return LocalTime::now() / kUnitsPerCycle;
}

/// Whether simulated time is in the second half of a cycle.
inline bool in_arbitration() {
  return LocalTime::now() % kUnitsPerCycle != 0;
}

/// The SystemC time from SystemC's present to the start of `unit`. Zero if `unit` has begun.
inline sc_core::sc_time until_unit(std::uint64_t unit) {
  const std::uint64_t ticks = ClockPeriod::ticks_of(unit), now = sc_core::sc_time_stamp().value();
  return sc_core::sc_time::from_value(ticks > now ? ticks - now : 0);
}

/// The SystemC time from SystemC's present to the start of `cycle`. Zero if `cycle` has begun.
inline sc_core::sc_time until(Cycle cycle) {
  return until_unit(cycle * kUnitsPerCycle);
}

/// The time by which simulated time is ahead of SystemC's. TLM-2.0's temporal decoupling calls it
/// the local time offset.
inline sc_core::sc_time local_offset() {
  return until_unit(LocalTime::now());
}

/// The first cycle that starts at SystemC's present plus `delay` or later.
inline Cycle cycle_after(const sc_core::sc_time& delay) {
  const std::uint64_t ticks = sc_core::sc_time_stamp().value() + delay.value();
  Cycle cycle = ClockPeriod::unit_of(ticks) / kUnitsPerCycle;
  while (ClockPeriod::ticks_of(cycle * kUnitsPerCycle) < ticks) ++cycle;
  return cycle;
}

}  // namespace davsim::memory
