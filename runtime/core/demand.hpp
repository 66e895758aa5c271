// How much of the rates of HBM, L2 and the link to the host launches and copies take; the timeline
// shares these rates out.
#pragma once

#include <cstdint>

#include "observe/counters.hpp"
#include "runtime/core/timeline.hpp"
#include "sim/soc/soc_config.hpp"
#include "sim/soc/system_config.hpp"

namespace davsim::runtime {

enum class Direction { kToDevice, kToHost, kWithin, kSet };

/// The rates of a SoC; times of copies are those of [Timing.Copy].
class Rates {
 public:
  explicit Rates(const sim::SocConfig& soc);

  /// A launch that ran alone as `report` says.
  Demand launch(const observe::LaunchReport& report) const;
  /// A copy of `bytes`, or what fills them.
  Demand copy(Direction direction, std::uint64_t bytes) const;
  /// A copy to another die.
  Demand copy(const sim::LinkClass& link, std::uint64_t bytes) const;

 private:
  double hbm_, l2_;                            ///< bytes/us
  double to_device_, to_host_, within_, set_;  ///< bytes/us
  Microseconds latency_;
};

}  // namespace davsim::runtime
