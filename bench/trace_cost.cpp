// What writing the JSON trace costs: wall time with a trace over wall time without, and memory.
#include <unistd.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "bench/bench.hpp"
#include "kernel_operator.h"
#include "kernels/registry/operator.hpp"
#include "traces/background_observer.hpp"
#include "traces/chrome/chrome_trace.hpp"

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

/// Wall time, and processor time of all threads, in seconds.
struct Times {
  double wall = 1e9, processor = 1e9;
};

template <class Work>
Times times_of(Work work) {
  const std::clock_t start = std::clock();
  const double wall = seconds(work);
  return {wall, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC};
}

/// `launch` with a trace to a file, as `davsim run --trace` makes it. `bytes`: of the file.
Times traced(sim::Device& device, const std::function<void()>& launch, double& bytes) {
  std::optional<Scratch> file;
  const Times times = times_of([&] {
    file.emplace();
    traces::ChromeTrace trace(file->stream());
    traces::BackgroundObserver background(trace);
    device.attach(&background);
    launch();
    device.attach(nullptr);
    background.finish();
    trace.finish();
  });
  bytes = file->bytes();
  return times;
}

/// The best of a few launches of a case, in a process of its own; the first one warms the host's
/// caches and L2.
boost::json::object best_of(const char* id, bool with_trace) {
  constexpr int kRuns = 4;
  // A trace tells of source lines, too.
  sim::Device device(sim::SocConfig::named("Ascend910B3"), {.lines = with_trace});
  const operators::Operator& op = operators::find_operator("fused_infer_attention_score_v2");
  const operators::Call call =
      operators::validated(op, op.make_case(id, device.memory()), device.soc());
  const auto launch = [&] { operators::run(op, call, device); };
  launch();
  Times best;
  double bytes = 0;
  for (int i = 0; i < kRuns; ++i) {
    const Times times = with_trace ? traced(device, launch, bytes) : times_of(launch);
    best.wall = std::min(best.wall, times.wall);
    best.processor = std::min(best.processor, times.processor);
  }
  return {{"wall", best.wall}, {"processor", best.processor}, {"bytes", bytes}};
}

/// By turns, so that what else the host does falls on both sides; the best of each counts.
boost::json::object cost_of(const char* id) {
  constexpr double kBar = 0.3;
  constexpr int kTurns = 3;
  Times without, with;
  double bytes = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    for (const bool with_trace : {false, true}) {
      const boost::json::object run = in_child([&] { return best_of(id, with_trace); });
      Times& best = with_trace ? with : without;
      best.wall = std::min(best.wall, run.at("wall").as_double());
      best.processor = std::min(best.processor, run.at("processor").as_double());
      bytes = std::max(bytes, run.at("bytes").as_double());
    }
  }
  const double cost = with.wall / without.wall - 1;
  return {{"seconds_without", without.wall},
          {"seconds_with", with.wall},
          {"processor_without", without.processor},
          {"processor_with", with.processor},
          {"trace_mb", bytes * 1e-6},
          {"cost", cost},
          {"bar", kBar},
          {"ok", cost <= kBar}};
}

boost::json::object trace_cost() {
  boost::json::object cases;
  bool ok = true;
  for (const char* id : {"FIA-3", "FIA-18"}) {
    boost::json::object cost = cost_of(id);
    ok = ok && cost.at("ok").as_bool();
    cases[id] = std::move(cost);
  }
  return {{"cases", std::move(cases)}, {"ok", ok}};
}
const BenchmarkRegistrar g_trace_cost("trace_cost",
                                      "what --trace adds to the run time of attention of 32 heads, "
                                      "a decode and a prefill of 2048 rows, as a share",
                                      trace_cost);

/// Ten million instructions through the trace writer; the bar is for the process as a whole.
boost::json::object trace_memory() {
  constexpr std::uint32_t kCores = 40, kAddsPerCore = 250'000;
  constexpr double kBarMb = 2000;
  sim::Device device(sim::SocConfig::named("Ascend910B3"));
  const isa::KernelEntry entry{"vector_adds", isa::KernelType::kAivOnly, nullptr, nullptr};
  double bytes = 0;
  const Times times = traced(
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
          {"seconds", times.wall},
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
