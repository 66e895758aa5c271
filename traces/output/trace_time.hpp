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

/// Where a slice is drawn, in picoseconds. Viewers cut begin and length down to whole nanoseconds
/// and draw nothing that takes less, so a slice is at least kShortestSlicePs long.
struct SliceTime {
  std::uint64_t begin = 0, length = 0;
  std::uint64_t end() const { return begin + length; }
};
inline constexpr std::uint64_t kPsPerNs = 1000, kShortestSlicePs = kPsPerNs;

inline SliceTime slice_time(Cycle start, Cycle end, double mhz) {
  const std::uint64_t begin = picoseconds(start, mhz), length = picoseconds(end, mhz) - begin;
  return {begin, length < kShortestSlicePs ? kShortestSlicePs : length};
}
/// The same of a flag. An arrow leads to its end, which is in the slice as viewers draw it: they
/// may find a whole number of nanoseconds to be a little less.
inline SliceTime flag_time(Cycle start, Cycle end, double mhz) {
  const SliceTime slice = slice_time(start, end, mhz);
  const std::uint64_t drawn =
      (picoseconds(end, mhz) / kPsPerNs - slice.begin / kPsPerNs) * kPsPerNs + 1;
  return {slice.begin, slice.length < drawn ? drawn : slice.length};
}

}  // namespace davsim::traces
