// Cycles as the times of traces.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "traces/cycle_classes.hpp"
#include "traces/json_output.hpp"

namespace davsim::traces {

inline std::uint64_t picoseconds(Cycle cycles, double mhz) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(cycles) * (1e6 / mhz)));
}

/// Microseconds with picosecond digits, as text.
inline void write_microseconds(JsonOutput& out, std::uint64_t ps) {
  out.integer(ps / 1000000);
  const std::string fraction = std::to_string(ps % 1000000);
  out.raw(".");
  out.raw(std::string_view("000000").substr(fraction.size()));
  out.raw(fraction);
}

}  // namespace davsim::traces
