// Simulated time of every case of kv_rmsnorm_rope_cache on an A2 and an A3, against what memory and
// the vector units allow at best.
#include <algorithm>
#include <boost/json/array.hpp>

#include "bench/bench.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::bench {
namespace {

namespace json = boost::json;

/// float32 lanes of a vector unit.
constexpr double kLanes = 64;

double larger_bound(const operators::Cost& cost, const sim::SocConfig& soc, json::object& to) {
  const double hbm = cost.min_bytes / soc.constant("Timing.Hbm", "peak", "bytes/s") * 1e6;
  const double vector = cost.vector_flops / (soc.aiv_count() * kLanes * soc.frequency_mhz());
  to["hbm_bound_us"] = hbm;
  to["vector_bound_us"] = vector;
  return std::max(hbm, vector);
}

/// Time and ratio of each case, by its id.
json::object times_on(const char* soc) {
  sim::Device device(sim::SocConfig::named(soc));
  const operators::Operator& op = operators::find_operator("kv_rmsnorm_rope_cache");
  json::object cases;
  for (const operators::ExampleCase& example : op.cases()) {
    if (example.refused) continue;
    const operators::Call call =
        operators::validated(op, op.make_case(example.id, device.memory()), device.soc());
    device.flush_l2();
    const observe::LaunchReport report = operators::run(op, call, device).report;
    json::object row = {{"cycles", report.cycles},
                        {"time_us", report.time_us()},
                        {"task_time_us", report.task_time_us()}};
    row["ratio"] = report.time_us() / larger_bound(op.cost(call), device.soc(), row);
    cases[example.id] = std::move(row);
  }
  return cases;
}

json::object kv_rmsnorm_rope_cache() {
  constexpr double kPrefillRatio = 3.0, kDecodeUs = 8.0;
  json::object socs, by_case;
  bool ok = true;
  for (const char* soc : {"Ascend910B3", "Ascend910_9392"}) {
    const json::object times = in_child([=] { return times_on(soc); });
    for (const auto& [id, row] : times) {
      if (!by_case.contains(id)) by_case[id] = json::object();
      by_case.at(id).as_object()[soc] = row;
    }
    ok = ok && times.at("KVR-5").at("ratio").as_double() <= kPrefillRatio &&
         times.at("KVR-6").at("time_us").as_double() <= kDecodeUs;
  }
  return {{"cases", std::move(by_case)},
          {"bars", {{"KVR-5 ratio", kPrefillRatio}, {"KVR-6 time_us", kDecodeUs}}},
          {"ok", ok}};
}
const BenchmarkRegistrar g_kv_rmsnorm_rope_cache(
    "kv_rmsnorm_rope_cache",
    "simulated time of every KVR case on Ascend910B3 and Ascend910_9392 against its bounds",
    kv_rmsnorm_rope_cache);

}  // namespace
}  // namespace davsim::bench
