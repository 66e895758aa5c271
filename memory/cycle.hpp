// The one place where cycles meet SystemC time. A core cycle is two units of SystemC's resolution:
// in the first half cores act, in the second half shared resources serve what was asked in the
// first.
#pragma once

#include <cstdint>
#include <systemc>

#include "traces/counters.hpp"

namespace davsim::memory {

using traces::Cycle;

inline constexpr std::uint64_t kUnitsPerCycle = 2;

inline Cycle current_cycle() {
  return sc_core::sc_time_stamp().value() / kUnitsPerCycle;
}

/// True in the second half of a cycle.
inline bool in_arbitration() {
  return sc_core::sc_time_stamp().value() % kUnitsPerCycle != 0;
}

/// Time from now to the start of `cycle`, which must not be over.
inline sc_core::sc_time until(Cycle cycle) {
  return sc_core::sc_time::from_value(cycle * kUnitsPerCycle - sc_core::sc_time_stamp().value());
}

/// Time from now to the arbitration of `cycle`; from that of the present cycle, half a cycle.
inline sc_core::sc_time until_arbitration(Cycle cycle) {
  const std::uint64_t now = sc_core::sc_time_stamp().value(), then = cycle * kUnitsPerCycle + 1;
  return sc_core::sc_time::from_value(then > now ? then - now : 1);
}

}  // namespace davsim::memory
