// Cycles as the times of traces.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "traces/cycle_classes.hpp"
#include "traces/json_output.hpp"

namespace davsim::traces {

inline std::uint64_t picoseconds(Cycle cycles, double mhz) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(cycles) * (1e6 / mhz)));
}

/// Microseconds with picosecond digits, as text.
inline void write_microseconds(JsonOutput& out, std::uint64_t ps) {
  constexpr std::uint64_t kMicrosecond = 1000000;
  std::array<char, 7> fraction = {'.'};
  std::uint64_t rest = ps % kMicrosecond;
  for (std::size_t digit = fraction.size(); --digit > 0; rest /= 10) {
    fraction[digit] = static_cast<char>('0' + rest % 10);
  }
  out.integer(ps / kMicrosecond);
  out.raw({fraction.data(), fraction.size()});
}

}  // namespace davsim::traces
