#include "sim/system/start_spread.hpp"

#include <cmath>
#include <numeric>

#include "observe/whole_cycles.hpp"

namespace davsim::sim {
namespace {

/// The value below which a standard normal variable is with this probability.
double normal_quantile(double probability) {
  constexpr double kMost = 10;  // no double of a probability asks for more
  double low = -kMost, high = kMost;
  for (int i = 0; i < 64; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < probability ? low : high) = middle;
  }
  return low;
}

/// A number without a common divisor, so that its multiples visit all dies, distant ones in turn.
std::size_t step_through(std::size_t dies) {
  std::size_t step = dies * 5 / 8 + 1;
  while (std::gcd(step, dies) != 1) ++step;
  return step;
}

}  // namespace

StartSpread::StartSpread(const SystemConfig& system) {
  const auto found = system.constants().find("Launch.spread");
  if (found == system.constants().end()) return;
  deviation_us_ = found->second.value * (found->second.unit == "ns" ? 1e-3 : 1);
}

std::vector<observe::Cycle> StartSpread::take_delays(std::size_t dies, double mhz) {
  std::vector<observe::Cycle> delays(dies, 0);
  if (!spread_) return delays;
  spread_ = false;
  const auto quantile = [&](std::size_t place) {
    return normal_quantile((static_cast<double>(place) + 0.5) / static_cast<double>(dies));
  };
  const std::size_t step = step_through(dies);
  for (std::size_t die = 0; die < dies; ++die) {
    const double behind = quantile(die * step % dies) - quantile(0);
    delays[die] = observe::whole_cycles(behind * deviation_us_ * mhz);
  }
  return delays;
}

}  // namespace davsim::sim
