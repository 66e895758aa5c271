// The DeepSeek-V3.2 operators: simulated time against the roofline on an A2 and an A3, and the time
// the simulator itself takes beside one BLAS thread.
#include <algorithm>
#include <boost/json/object.hpp>
#include <tuple>
#include <vector>

#include "bench/bench.hpp"
#include "bench/blas.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::bench {
namespace {

namespace json = boost::json;

const char* const kSocs[] = {"Ascend910B3", "Ascend910_9392"};

struct Bar {
  const char* operator_name;
  const char* id;
  double least_share;  ///< of what bounds it; 0: none
  double most_us;      ///< 0: none
};

/// Bars of single cases. Shares of MPQ-1 are of 1.6 TB/s on its least bytes, the others' of the
/// roofline.
constexpr Bar kBars[] = {{"mla_prolog_quant", "MPQ-1", 0.70, 0},
                         {"mla_prolog_quant", "MPQ-6", 0.42, 0},
                         {"lightning_indexer_prolog_quant", "IPQ-1", 0, 0},
                         {"lightning_indexer_prolog_quant", "IPQ-5", 0.40, 0},
                         {"sparse_flash_attention_quant", "SFA-2", 0, 80},
                         {"mla_indexer_prolog_quant", "MIP-1", 0, 0},
                         {"mla_indexer_prolog_quant", "MIP-3", 0, 0}};

/// The least time of a call: cube, vector units or HBM, whichever takes longest.
double least_us(const operators::Cost& cost, const sim::SocConfig& soc) {
  const double cycles_16 = cost.cube_flops_16bit / (2 * 4096.0 * soc.aic_count());
  const double cycles_8 = cost.cube_flops_8bit / (2 * 8192.0 * soc.aic_count());
  const double hbm = cost.min_bytes / soc.constant("Timing.Hbm", "peak", "bytes/s") * 1e6;
  return std::max((cycles_16 + cycles_8) / soc.frequency_mhz(), hbm);
}

json::object times_on(const char* soc_name) {
  sim::Device device(sim::SocConfig::named(soc_name));
  json::object cases;
  for (const Bar& bar : kBars) {
    const operators::Operator& op = operators::find_operator(bar.operator_name);
    const operators::Call call =
        operators::validated(op, op.make_case(bar.id, device.memory()), device.soc());
    device.flush_l2();
    const double us = operators::run(op, call, device).report.time_us();
    const double share = least_us(op.cost(call), device.soc()) / us;
    cases[bar.id] = {{"time_us", us},
                     {"share_of_bound", share},
                     {"ok", share >= bar.least_share && (bar.most_us == 0 || us <= bar.most_us)}};
  }
  return cases;
}

double time_of(const json::object& cases, const char* id) {
  return cases.at(id).at("time_us").as_double();
}

json::object deepseek() {
  json::object result;
  bool ok = true;
  for (const char* soc : kSocs) {
    json::object cases = in_child([=] { return times_on(soc); });
    for (const auto& [id, row] : cases) ok = ok && row.at("ok").as_bool();
    // The fused operator beside its two halves, one after the other.
    for (const auto& [fused, mla, indexer] :
         {std::tuple{"MIP-1", "MPQ-1", "IPQ-1"}, std::tuple{"MIP-3", "MPQ-6", "IPQ-5"}}) {
      const double parts = time_of(cases, mla) + time_of(cases, indexer);
      const double saved = 1 - time_of(cases, fused) / parts;
      cases.at(fused).as_object()["parts_us"] = parts;
      cases.at(fused).as_object()["saved"] = saved;
      ok = ok && saved > 0;
    }
    result[soc] = std::move(cases);
  }
  result["ok"] = ok;
  return result;
}
const BenchmarkRegistrar g_deepseek(
    "deepseek", "simulated time of the DeepSeek operators against their bounds, on A2 and A3",
    deepseek);

/// Host time of a prolog of 128 tokens against the BLAS on its products.
json::object mla_prolog_host() {
  constexpr double kBar = 4;
  constexpr std::int64_t kTokens = 128;
  const double blas = sgemm_seconds(kTokens, 1536, 7168) + sgemm_seconds(kTokens, 576, 7168) +
                      sgemm_seconds(kTokens, 24576, 1536) + sgemm_seconds(kTokens, 512, 128, 128);
  const Simulation simulate = [](const sim::DeviceOptions& options) {
    sim::Device device(sim::SocConfig::named("Ascend910B3"), options);
    const operators::Operator& op = operators::find_operator("mla_prolog_quant");
    const operators::Call call = op.make_case("MPQ-3", device.memory());
    const auto run = [&] { operators::run(op, call, device); };
    return json::object{{"seconds", best_seconds(run)}};
  };
  return beside_blas(simulate, blas, kBar);
}
const BenchmarkRegistrar g_mla_prolog_host("mla_prolog_host",
                                           "host time of MPQ at 128 tokens against one BLAS thread",
                                           mla_prolog_host);

}  // namespace
}  // namespace davsim::bench
