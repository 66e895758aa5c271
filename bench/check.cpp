// What the checker costs: host time of operators with it and without it, and the memory of its
// shadows beside the bytes that the kernels touched on chip.
#include <algorithm>
#include <boost/json/object.hpp>
#include <ctime>

#include "bench/bench.hpp"
#include "checker/checker.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::bench {
namespace {

namespace json = boost::json;

struct Case {
  const char* operator_name;
  const char* id;
};
/// Large and small ones of every operator, among them those that the checker slows down most.
constexpr Case kCases[] = {{"rope_quant_kvcache", "RQK-1"},
                           {"rope_quant_kvcache", "RQK-4"},
                           {"kv_rmsnorm_rope_cache", "KVR-1"},
                           {"kv_rmsnorm_rope_cache", "KVR-5"},
                           {"kv_rmsnorm_rope_cache", "KVR-7"},
                           {"matmul", "MM-3"},
                           {"matmul", "MM-7"},
                           {"mla_prolog_quant", "MPQ-3"},
                           {"lightning_indexer_prolog_quant", "IPQ-3"},
                           {"mla_indexer_prolog_quant", "MIP-3"},
                           {"sparse_flash_attention_quant", "SFA-2"},
                           {"paged_attention", "PA-2"},
                           {"fused_infer_attention_score_v2", "FIA-2"},
                           {"fused_infer_attention_score_v2", "FIA-4"},
                           {"fused_infer_attention_score_v2", "FIA-5"}};

/// Processor time of the fastest of a few runs: other work on the host does not count.
double least_seconds(const operators::Operator& op, const operators::Call& call,
                     sim::Device& device) {
  constexpr int kRuns = 3;
  constexpr double kEnough = 0.2;
  double least = 1e9, total = 0;
  for (int run = 0; run < kRuns || total < kEnough; ++run) {
    const std::clock_t start = std::clock();
    operators::run(op, call, device);
    const double time = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    least = std::min(least, time);
    total += time;
  }
  return least;
}

json::object cost_of(const Case& which) {
  constexpr double kTimeBar = 3, kMemoryBar = 4;
  sim::Device device(sim::SocConfig::named("Ascend910B3"));
  const operators::Operator& op = operators::find_operator(which.operator_name);
  const operators::Call call =
      operators::validated(op, op.make_case(which.id, device.memory()), device.soc());
  const double plain = least_seconds(op, call, device);
  checker::Checker checker;
  device.check(&checker);
  const double checked = least_seconds(op, call, device);
  const auto shadow = static_cast<double>(checker.shadow_bytes());
  const auto touched = static_cast<double>(checker.touched_bytes());
  return {{"seconds", plain},
          {"checked_seconds", checked},
          {"ratio", checked / plain},
          {"shadow_bytes", shadow},
          {"touched_bytes", touched},
          {"shadow_ratio", shadow / touched},
          {"findings", checker.findings().open()},
          {"ok", checked <= kTimeBar * plain && shadow <= kMemoryBar * touched}};
}

json::object check() {
  json::object cases;
  bool ok = true;
  for (const Case& which : kCases) {
    json::object row = in_child([&] { return cost_of(which); });
    ok = ok && row.at("ok").as_bool();
    cases[which.id] = std::move(row);
  }
  return {{"cases", std::move(cases)}, {"ok", ok}};
}
const BenchmarkRegistrar g_check(
    "check", "host time and memory of operators with the checker against without it", check);

}  // namespace
}  // namespace davsim::bench
