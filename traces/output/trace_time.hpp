// Cycles as the times of traces.
#pragma once

#include <cstdint>

#include "traces/observed.hpp"

namespace davsim::traces {

/// Rounded to the nearest picosecond. The result must be below 2^52, which is more than an hour.
inline std::uint64_t picoseconds(Cycle cycles, double mhz) {
  return static_cast<std::uint64_t>(
      static_cast<std::int64_t>(static_cast<double>(cycles) * (1e6 / mhz) + 0.5));
}

}  // namespace davsim::traces
