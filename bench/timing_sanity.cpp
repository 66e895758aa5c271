// Does simulated time make sense at full size? The small versions are in tests/sim/.
#include "bench/bench.hpp"
#include "kernel_operator.h"
#include "sim/device/device.hpp"

namespace davsim::bench {
namespace {

using namespace AscendC;

/// All vector cores copy global memory into UB: once from HBM, once more from L2.
boost::json::object gm_to_ub() {
  constexpr std::uint32_t kTile = 32768, kTiles = 64;
  constexpr double kHbmLow = 1.35, kHbmHigh = 1.6, kL2Low = 5.0;  // TB/s
  sim::Device device(sim::SocConfig::named("Ascend910B1"));
  const std::uint32_t cores = device.soc().aiv_count();
  const std::uint64_t bytes = std::uint64_t{cores} * kTiles * kTile;
  auto* data = reinterpret_cast<std::int8_t*>(device.memory().allocate(bytes, "data"));
  const isa::KernelEntry entry{"gm_to_ub", isa::KernelType::kAivOnly, nullptr, nullptr};
  const auto copy = [&] {
    const auto report = device.launch(entry, cores, {}, [=] {
      GlobalTensor<std::int8_t> source;
      source.SetGlobalBuffer(data, bytes);
      const LocalTensor<std::int8_t> halves[2] = {{TPosition::VECIN, 0, kTile},
                                                  {TPosition::VECIN, kTile, kTile}};
      for (std::uint32_t t = 0; t < kTiles; ++t) {
        DataCopy(halves[t % 2], source[(GetBlockIdx() * kTiles + t) * std::uint64_t{kTile}], kTile);
      }
    });
    return static_cast<double>(bytes) / report.time_us() / 1e6;
  };
  const double hbm = copy(), l2 = copy();
  return {{"soc", "Ascend910B1"},
          {"hbm_terabytes_per_second", hbm},
          {"hbm_bar", {kHbmLow, kHbmHigh}},
          {"l2_terabytes_per_second", l2},
          {"l2_bar", kL2Low},
          {"ok", hbm >= kHbmLow && hbm <= kHbmHigh && l2 >= kL2Low}};
}
const BenchmarkRegistrar g_gm_to_ub("gm_to_ub",
                                    "simulated bandwidth of a copy over all vector cores",
                                    gm_to_ub);

}  // namespace
}  // namespace davsim::bench
