// When the kernels of a launch on several dies begin. Processes of their own launch them, one for
// each rank, and not at the same instant. A rank that is early waits in a kernel that communicates.
#pragma once

#include <cstddef>
#include <vector>

#include "observe/cycle_classes.hpp"
#include "sim/soc/system_config.hpp"

namespace davsim::sim {

class StartSpread {
 public:
  explicit StartSpread(const SystemConfig& system);
  virtual ~StartSpread() = default;

  /// Without this the kernels of a launch begin together, as those do that follow an operation in
  /// which the ranks have waited for each other.
  void spread_next_launch() { spread_ = true; }
  /// Cycles after the start of a launch on so many dies at which each of them begins. The delays
  /// are the quantiles of a normal distribution with the deviation `[Launch] spread`, the least of
  /// them 0. So they are the same in each run and their range grows with the number of dies.
  std::vector<observe::Cycle> take_delays(std::size_t dies, double mhz);

 private:
  double deviation_us_ = 0;
  bool spread_ = false;
};

}  // namespace davsim::sim
