// paged_attention on simulated cores against the bounds that its documented cases have.
#include <boost/json/object.hpp>

#include "bench/bench.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::bench {
namespace {

namespace json = boost::json;

constexpr double kHbmBytesPerSecond = 1.6e12;
constexpr double kFlopsPerCycle = 2 * 4096;  // of 16-bit elements, a cube

struct Measured {
  double us = 0;
  std::uint64_t cycles = 0;
  operators::Cost cost;
  std::uint32_t cubes = 0;
};

/// One launch of a case on cold L2.
Measured measure(const char* id) {
  sim::Device device(sim::SocConfig::named("Ascend910B3"));
  const operators::Operator& op = operators::find_operator("paged_attention");
  const operators::Call call =
      operators::validated(op, op.make_case(id, device.memory()), device.soc());
  device.flush_l2();
  const observe::LaunchReport report = operators::run(op, call, device).report;
  return {report.time_us(), report.cycles, op.cost(call), device.soc().aic_count()};
}

json::object many_contexts() {
  constexpr double kBar = 0.65;
  const Measured m = measure("PA-14L");
  const double share = m.cost.min_bytes / (m.us * 1e-6) / kHbmBytesPerSecond;
  return {{"simulated_us", m.us},
          {"share_of_hbm", share},
          {"bar", kBar},
          {"ok", share >= kBar && share <= 1}};
}
const BenchmarkRegistrar g_many_contexts(
    "paged_attention_decode", "PA-14 with contexts of 2048: 128 tokens, 32/8 heads, against HBM",
    many_contexts);

json::object few_latent_contexts() {
  constexpr double kBar = 0.30;
  const Measured m = measure("PA-7");
  const double share =
      m.cost.cube_flops_16bit / kFlopsPerCycle / m.cubes / static_cast<double>(m.cycles);
  return {{"simulated_us", m.us},
          {"share_of_cube_peak", share},
          {"bar", kBar},
          {"ok", share >= kBar && share <= 1}};
}
const BenchmarkRegistrar g_few_latent_contexts(
    "paged_attention_latent",
    "PA-7: nine latent contexts of 1 to 14000 split among all cores, against the cubes' peak",
    few_latent_contexts);

}  // namespace
}  // namespace davsim::bench
