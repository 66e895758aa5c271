// What a simulated die costs the host as a system grows. Every die runs a kernel that writes to the
// next die and reads from it, so the work of a die does not grow with the number of dies. No values
// are computed.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <memory>
#include <vector>

#include "bench/bench.hpp"
#include "kernel_operator.h"
#include "sim/device/device.hpp"
#include "sim/soc/system_config.hpp"

namespace davsim::bench {
namespace {

using namespace AscendC;

constexpr std::uint32_t kTile = 8192, kTiles = 64, kCores = 8;
/// Launches of which the best counts. The first one touches memory that the process has not had.
constexpr int kRuns = 3;

/// A vector core writes tiles to the next die and reads them back.
void exchange(std::uint8_t* window) {
  const LocalTensor<std::uint8_t> tile(TPosition::VECCALC, 0, kTile);
  GlobalTensor<std::uint8_t> there;
  there.SetGlobalBuffer(window + static_cast<std::uint64_t>(GetBlockIdx()) * kTile, kTile);
  for (std::uint32_t i = 0; i < kTiles; ++i) {
    DataCopy(there, tile, kTile);
    PipeBarrier<PIPE_ALL>();
    DataCopy(tile, there, kTile);
    PipeBarrier<PIPE_ALL>();
  }
}

boost::json::object system_of(std::uint32_t dies) {
  sim::SystemConfig system = sim::SystemConfig::named("cloudmatrix384");
  system.use_dies(dies);
  double made = 0;
  observe::Cycle cycles = 0;
  sim::DeviceOptions options;
  options.values = false;
  std::unique_ptr<sim::Device> device;
  made = cpu_seconds([&] {
    device = std::make_unique<sim::Device>(sim::SocConfig::named(system.soc()), system, options);
  });
  std::vector<std::uint8_t*> windows;
  for (std::uint32_t die = 0; die < dies; ++die) {
    std::byte* const start = device->memory(die).allocate(std::uint64_t{kTile} * kCores, "window");
    device->memory(die).share(start);
    windows.push_back(reinterpret_cast<std::uint8_t*>(start));
  }
  const isa::KernelEntry entry{"exchange", isa::KernelType::kAivOnly, nullptr, nullptr};
  const auto run = [&] {
    std::vector<sim::DieLaunch> launches;
    for (std::uint32_t die = 0; die < dies; ++die) {
      std::uint8_t* const next = windows[(die + 1) % dies];
      launches.push_back({die, &entry, kCores, 0, {}, [next] { exchange(next); }});
    }
    return cpu_seconds([&] { cycles = device->launch(std::move(launches)).front().cycles; });
  };
  const double first = run();
  double ran = first;
  for (int i = 1; i < kRuns; ++i) ran = std::min(ran, run());
  return {{"dies", dies},
          {"made_ms_per_die", 1e3 * made / dies},
          {"first_run_ms_per_die", 1e3 * first / dies},
          {"ran_ms_per_die", 1e3 * ran / dies},
          {"mb_per_die", peak_memory_mb() / dies},
          {"cycles", cycles}};
}

boost::json::object cost_of_dies() {
  constexpr double kBar = 1.2;
  boost::json::array curve;
  double first = 0, last = 0;
  for (const std::uint32_t dies : {8u, 16u, 32u, 64u, 128u, 256u}) {
    boost::json::object point = in_child([dies] { return system_of(dies); });
    last = point["ran_ms_per_die"].to_number<double>();
    if (first == 0) first = last;
    curve.push_back(std::move(point));
  }
  return {{"curve", std::move(curve)}, {"ratio", last / first}, {"ok", last <= kBar * first}};
}

const BenchmarkRegistrar kDies("system_dies",
                               "host time and memory of a die in systems of 8 to 256 dies",
                               cost_of_dies);

}  // namespace
}  // namespace davsim::bench
