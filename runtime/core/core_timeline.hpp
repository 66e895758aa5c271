// When launches of several streams run: the device simulates one launch after another, and this
// lays them side by side on the cores that are free.
#pragma once

#include <cstdint>
#include <vector>

#include "observe/counters.hpp"

namespace davsim::runtime {

/// Simulated time of the device, in microseconds from its start.
using Microseconds = double;

class CoreTimeline {
 public:
  CoreTimeline(std::uint32_t aics, std::uint32_t aivs_per_aic);

  struct Span {
    Microseconds start = 0, end = 0;
  };
  /// Places a launch that ran alone as `report` says: it starts once its stream is ready and as
  /// many cores, or AI cores for a mix of both types, are free as it began with. Its end includes
  /// the overhead of a launch.
  Span place(Microseconds ready, const observe::LaunchReport& report);

 private:
  /// What one block occupies, as indices of cores.
  using Seat = std::vector<std::size_t>;
  std::vector<Seat> seats(const observe::LaunchReport& report) const;
  Microseconds free_at(const Seat& seat) const;

  std::uint32_t aics_, aivs_per_aic_;
  std::vector<Microseconds> free_;  ///< when each core becomes free: AICs, then AIVs
};

}  // namespace davsim::runtime
