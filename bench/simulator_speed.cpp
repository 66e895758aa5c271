// How fast the simulator is on this host.
#include "bench/bench.hpp"
#include "kernel_operator.h"
#include "sim/device/device.hpp"

namespace davsim::bench {
namespace {

using namespace AscendC;

/// Single-repeat Adds on 48 vector cores, timed: the cost of an instruction.
boost::json::object vector_adds() {
  constexpr std::uint32_t kCores = 48;
  constexpr int kAddsPerCore = 40000;
  constexpr double kBar = 1e6;
  sim::Device device(sim::SocConfig::named("Ascend910B1"));
  const isa::KernelEntry entry{"vector_adds", isa::KernelType::kAivOnly, nullptr, nullptr};
  observe::LaunchReport report;
  const double time = seconds([&] {
    report = device.launch(entry, kCores, {}, [] {
      const LocalTensor<float> x(TPosition::VECCALC, 0, 64), y(TPosition::VECCALC, 65536, 64);
      for (int i = 0; i < kAddsPerCore; ++i) Add(y, x, y, 64, 1, BinaryRepeatParams());
    });
  });
  const double rate = kCores * double(kAddsPerCore) / time;
  return {{"instructions_per_second", rate},
          {"simulated_cycles", report.cycles},
          {"seconds", time},
          {"bar", kBar},
          {"ratio_to_bar", rate / kBar},
          {"ok", rate >= kBar}};
}
const BenchmarkRegistrar g_vector_adds(
    "vector_adds", "timed single-repeat Adds on 48 vector cores, instructions/s", vector_adds);

}  // namespace
}  // namespace davsim::bench
