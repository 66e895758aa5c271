#include "bench/instruction_speed.hpp"

#include <algorithm>
#include <boost/json/array.hpp>

#include "bench/bench.hpp"

namespace davsim::bench {
namespace {

constexpr int kRounds = 9;
/// Long beside the clock's grain, short beside a turn of the host's scheduler.
constexpr double kSecondsARound = 2e-3;

/// Wall time of `times` runs of `work`.
double time_of(const std::function<void()>& work, int times) {
  return seconds([&] {
    for (int i = 0; i < times; ++i) work();
  });
}

int times_for(double one) {
  return std::max(1, static_cast<int>(kSecondsARound / std::max(one, 1e-9)));
}

/// Seconds of one run of each side.
struct Result {
  double instructions = 1e30, plain = 1e30;
};

Result measure(const Contest& contest) {
  contest.instructions();
  contest.plain();
  const int simulated = times_for(time_of(contest.instructions, 1));
  const int plain = times_for(time_of(contest.plain, 1));
  Result best;
  for (int round = 0; round < kRounds; ++round) {
    best.instructions =
        std::min(best.instructions, time_of(contest.instructions, simulated) / simulated);
    best.plain = std::min(best.plain, time_of(contest.plain, plain) / plain);
  }
  return best;
}

}  // namespace

boost::json::object run_contests(isa::CoreType type, const std::function<void()>& prepare,
                                 const std::vector<Contest>& contests) {
  sim::DeviceOptions options;
  options.mode = sim::Mode::kFunctional;
  sim::Device device(sim::SocConfig::named("Ascend910B1"), options);
  const bool vector = type == isa::CoreType::AIV;
  const isa::KernelEntry entry{
      "contests", vector ? isa::KernelType::kAivOnly : isa::KernelType::kAicOnly, nullptr, nullptr};
  boost::json::array list;
  double lowest = 1e30;
  const auto kernel = [&] {
    prepare();
    for (const Contest& contest : contests) {
      const Result result = measure(contest);
      const double ratio = result.plain / result.instructions;
      lowest = std::min(lowest, ratio);
      list.push_back(boost::json::object{{"name", contest.name},
                                         {"us", result.instructions * 1e6},
                                         {"plain_us", result.plain * 1e6},
                                         {"ratio", ratio}});
    }
  };
  device.launch(entry, 1, vector ? std::function<void()>() : kernel,
                vector ? kernel : std::function<void()>());
  return {{"contests", list},
          {"lowest_ratio", lowest},
          {"bar", kSpeedBar},
          {"ok", lowest >= kSpeedBar}};
}

}  // namespace davsim::bench
