// What a simulated die costs the host as a system grows, where the work of a die stays the same. In
// one run the cores of every die write to the next die and read from it, in another one the servers
// exchange as many bytes for every die. No values are computed.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <memory>
#include <vector>

#include "bench/bench.hpp"
#include "isa/core/collectives.hpp"
#include "kernel_operator.h"
#include "sim/device/device.hpp"
#include "sim/soc/system_config.hpp"
#include "sim/system/communicators.hpp"

namespace davsim::bench {
namespace {

using namespace AscendC;

constexpr std::uint32_t kTile = 8192, kTiles = 64, kCores = 8;
/// Runs of which the best counts. The first one touches memory that the process has not had.
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

/// A system without values, and the processor time that it takes to make it.
struct Made {
  std::unique_ptr<sim::Device> device;
  double seconds = 0;
};
Made make(std::uint32_t dies, bool cores) {
  sim::SystemConfig system = sim::SystemConfig::named("cloudmatrix384");
  system.use_dies(dies);
  sim::DeviceOptions options;
  options.values = false;
  options.cores = cores;
  Made made;
  made.seconds = cpu_seconds([&] {
    made.device =
        std::make_unique<sim::Device>(sim::SocConfig::named(system.soc()), system, options);
  });
  return made;
}

boost::json::object kernel_loop(std::uint32_t dies) {
  const Made made = make(dies, true);
  sim::Device& device = *made.device;
  observe::Cycle cycles = 0;
  std::vector<std::uint8_t*> windows;
  for (std::uint32_t die = 0; die < dies; ++die) {
    std::byte* const start = device.memory(die).allocate(std::uint64_t{kTile} * kCores, "window");
    device.memory(die).share(start);
    windows.push_back(reinterpret_cast<std::uint8_t*>(start));
  }
  const isa::KernelEntry entry{"exchange", isa::KernelType::kAivOnly, nullptr, nullptr};
  const auto run = [&] {
    std::vector<sim::DieLaunch> launches;
    for (std::uint32_t die = 0; die < dies; ++die) {
      std::uint8_t* const next = windows[(die + 1) % dies];
      launches.push_back({die, &entry, kCores, 0, {}, [next] { exchange(next); }});
    }
    return cpu_seconds([&] { cycles = device.launch(std::move(launches)).front().cycles; });
  };
  const double first = run();
  double ran = first;
  for (int i = 1; i < kRuns; ++i) ran = std::min(ran, run());
  return {{"dies", dies},
          {"made_ms_per_die", 1e3 * made.seconds / dies},
          {"first_run_ms_per_die", 1e3 * first / dies},
          {"ran_ms_per_die", 1e3 * ran / dies},
          {"mb_per_die", peak_memory_mb() / dies},
          {"cycles", cycles}};
}

/// Bytes that each die exchanges with all others together: enough that each of 255 peers gets some
/// pieces, so that a die sends as many messages in a system of any size.
constexpr std::uint64_t kExchanged = std::uint64_t{64} << 20;

/// As `davsim run-system --op all-to-all --bytes 64MiB --dtype int8 --times-only` does it.
boost::json::object all_to_all(std::uint32_t number) {
  const Made made = make(number, false);
  sim::Device& device = *made.device;
  std::vector<std::uint32_t> dies;
  std::vector<isa::Collective> ranks;
  for (std::uint32_t die = 0; die < number; ++die) {
    const auto buffer = [&](const char* name) {
      return reinterpret_cast<std::uint64_t>(device.memory(die).allocate(kExchanged, name));
    };
    dies.push_back(die);
    isa::Collective& of = ranks.emplace_back();
    of.kind = isa::CollectiveKind::kAllToAll;
    of.count = kExchanged / number;
    of.type = 0;  // HCCL_DATA_TYPE_INT8
    of.send = buffer("input");
    of.recv = buffer("output");
  }
  sim::Communicators& communicators = *device.communicators();
  communicators.create("world", dies, communicators.system().collectives().window);
  const auto run = [&] {
    return cpu_seconds([&] {
      communicators.run("world", ranks);
      device.finish_transfers();
    });
  };
  const double first = run();
  double ran = first;
  for (int i = 1; i < kRuns; ++i) ran = std::min(ran, run());
  std::uint64_t messages = 0;
  for (const sim::LinkCounters& link : device.links()) messages += link.out ? link.messages : 0;
  messages /= kRuns;
  return {{"dies", number},
          {"made_ms_per_die", 1e3 * made.seconds / number},
          {"first_run_ms_per_die", 1e3 * first / number},
          {"ran_ms_per_die", 1e3 * ran / number},
          {"messages_per_die", messages / number},
          {"mb_per_die", peak_memory_mb() / number}};
}

/// The cost of a die in systems of 8 to 256.
boost::json::object curve_of(boost::json::object (*run)(std::uint32_t dies)) {
  constexpr double kBar = 1.2;
  boost::json::array curve;
  double first = 0, last = 0;
  for (const std::uint32_t dies : {8u, 16u, 32u, 64u, 128u, 256u}) {
    boost::json::object point = in_child([&] { return run(dies); });
    last = point["ran_ms_per_die"].to_number<double>();
    if (first == 0) first = last;
    curve.push_back(std::move(point));
  }
  return {{"curve", std::move(curve)}, {"ratio", last / first}, {"ok", last <= kBar * first}};
}

boost::json::object cost_of_dies() {
  boost::json::object loop = curve_of(kernel_loop), exchange = curve_of(all_to_all);
  const bool ok = loop["ok"].as_bool() && exchange["ok"].as_bool();
  return {{"kernel_loop", std::move(loop)}, {"all_to_all", std::move(exchange)}, {"ok", ok}};
}

const BenchmarkRegistrar kDies("system_dies",
                               "host time and memory of a die in systems of 8 to 256 dies",
                               cost_of_dies);

}  // namespace
}  // namespace davsim::bench
