// What writing the JSON trace costs: wall time with a trace over wall time without, and memory.
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bench/bench.hpp"
#include "kernel_operator.h"
#include "kernels/registry/operator.hpp"
#include "traces/background_observer.hpp"
#include "traces/chrome_trace.hpp"

namespace davsim::bench {
namespace {

using namespace AscendC;

/// A file that goes with the process; as large as a trace is.
class Scratch {
 public:
  Scratch()
      : path_(std::filesystem::temp_directory_path() /
              ("davsim-trace-" + std::to_string(getpid()))),
        stream_(path_, std::ios::binary) {}
  ~Scratch() { std::filesystem::remove(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::ostream& stream() { return stream_; }
  double bytes() const { return static_cast<double>(std::filesystem::file_size(path_)); }

 private:
  std::filesystem::path path_;
  std::ofstream stream_;
};

/// Seconds of `launch` with a trace to a file, as `davsim run --trace` makes it.
double traced(sim::Device& device, const std::function<void()>& launch, double& bytes) {
  Scratch file;
  traces::ChromeTrace trace(file.stream());
  traces::BackgroundObserver background(trace);
  const double time = seconds([&] {
    device.attach(&background);
    launch();
    device.attach(nullptr);
    background.finish();
    trace.finish();
  });
  bytes = file.bytes();
  return time;
}

/// Runs by turns, so that what else the host does falls on both; the best of each counts.
boost::json::object cost_of(sim::Device& device, const std::function<void()>& launch, int turns) {
  constexpr double kBar = 0.3;
  launch();  // warms caches and L2
  double without = 1e9, with = 1e9, bytes = 0;
  for (int i = 0; i < turns; ++i) {
    without = std::min(without, seconds(launch));
    with = std::min(with, traced(device, launch, bytes));
  }
  const double cost = with / without - 1;
  return {{"seconds_without", without},
          {"seconds_with", with},
          {"trace_mb", bytes * 1e-6},
          {"cost", cost},
          {"bar", kBar},
          {"ok", cost <= kBar}};
}

boost::json::object trace_cost() {
  sim::Device device(sim::SocConfig::named("Ascend910B3"));
  const ops::Operator& op = ops::find_operator("fused_infer_attention_score_v2");
  const ops::Call call = ops::checked(op, op.make_case("FIA-3", device.memory()), device.soc());
  return cost_of(
      device, [&] { ops::run(op, call, device); }, 3);
}
const BenchmarkRegistrar g_trace_cost(
    "trace_cost", "what --trace adds to the run time of an attention of 32 heads, as a share",
    trace_cost);

/// Ten million instructions through the trace writer; the bar is for the process as a whole.
boost::json::object trace_memory() {
  constexpr std::uint32_t kCores = 40, kAddsPerCore = 250'000;
  constexpr double kBarMb = 2000;
  sim::Device device(sim::SocConfig::named("Ascend910B3"));
  const isa::KernelEntry entry{"vector_adds", isa::KernelType::kAivOnly, nullptr, nullptr};
  double bytes = 0;
  const double time = traced(
      device,
      [&] {
        device.launch(entry, kCores, {}, [] {
          const LocalTensor<float> x(TPosition::VECCALC, 0, 64), y(TPosition::VECCALC, 65536, 64);
          for (std::uint32_t i = 0; i < kAddsPerCore; ++i)
            Add(y, x, y, 64, 1, BinaryRepeatParams());
        });
      },
      bytes);
  const double memory = peak_memory_mb();
  return {{"instructions", std::uint64_t{kCores} * kAddsPerCore},
          {"seconds", time},
          {"trace_mb", bytes * 1e-6},
          {"memory_mb", memory},
          {"bar_mb", kBarMb},
          {"ok", memory < kBarMb}};
}
const BenchmarkRegistrar g_trace_memory("trace_memory",
                                        "host memory while ten million instructions are traced",
                                        trace_memory);

}  // namespace
}  // namespace davsim::bench
