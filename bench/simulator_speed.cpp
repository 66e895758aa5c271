// How fast the simulator is on this host.
#include "bench/bench.hpp"
#include "kernel_operator.h"
#include "sim/device/device.hpp"

namespace davsim::bench {
namespace {

using namespace AscendC;

/// How many of something 48 vector cores do in a second of the host, if each does `each` of them.
boost::json::object rate(const char* what, int each, double bar,
                         const std::function<void()>& kernel) {
  constexpr std::uint32_t kCores = 48;
  sim::Device device(sim::SocConfig::named("Ascend910B1"));
  const isa::KernelEntry entry{"simulator_speed", isa::KernelType::kAivOnly, nullptr, nullptr};
  observe::LaunchReport report;
  const double time = seconds([&] { report = device.launch(entry, kCores, {}, kernel); });
  const double rate = kCores * double(each) / time;
  return {{what, rate}, {"simulated_cycles", report.cycles}, {"seconds", time},
          {"bar", bar}, {"ratio_to_bar", rate / bar},        {"ok", rate >= bar}};
}

/// Single-repeat Adds: the cost of an instruction.
boost::json::object vector_adds() {
  constexpr int kAdds = 40000;
  return rate("instructions_per_second", kAdds, 1e6, [] {
    const LocalTensor<float> x(TPosition::VECCALC, 0, 64), y(TPosition::VECCALC, 65536, 64);
    for (int i = 0; i < kAdds; ++i) Add(y, x, y, 64, 1, BinaryRepeatParams());
  });
}
const BenchmarkRegistrar g_vector_adds(
    "vector_adds", "timed single-repeat Adds on 48 vector cores, instructions/s", vector_adds);

/// Loops over the elements of a tensor in UB, as plain kernels have where no instruction fits.
boost::json::object elements() {
  constexpr int kRounds = 20, kElements = 2048;
  return rate("accesses_per_second", 2 * kRounds * kElements, 5e6, [] {
    const LocalTensor<float> x(TPosition::VECCALC, 0, kElements),
        y(TPosition::VECCALC, 65536, kElements);
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < kElements; ++i) y.SetValue(i, x.GetValue(i) + 1.0f);
    }
  });
}
const BenchmarkRegistrar g_elements(
    "elements", "timed GetValue and SetValue in UB on 48 vector cores, accesses/s", elements);

}  // namespace
}  // namespace davsim::bench
