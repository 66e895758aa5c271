// Matrix products through the operator: host time against a BLAS, simulated time against the peak.
#include <algorithm>
#include <boost/json/object.hpp>

#include "bench/bench.hpp"
#include "bench/blas.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::bench {
namespace {

operators::Tensor half_matrix(sim::Device& device, std::int64_t n, const char* name) {
  operators::Tensor tensor(device.memory(), isa::DType::kF16, {n, n}, name);
  auto* values = tensor.as<std::uint16_t>();
  // 1, 2, 0.5, ... in turn: any finite values do.
  constexpr std::uint16_t kValues[] = {0x3c00, 0x4000, 0x3800, 0xbc00, 0x3400};
  for (std::int64_t i = 0; i < n * n; ++i) values[i] = kValues[i % 5];
  return tensor;
}

/// A product of two fp16 matrices of n x n.
operators::Call product_call(sim::Device& device, std::int64_t n) {
  operators::Call call;
  call.tensors["a"] = half_matrix(device, n, "a");
  call.tensors["b"] = half_matrix(device, n, "b");
  return call;
}

observe::LaunchReport multiply(sim::Device& device, const operators::Call& call) {
  return operators::run(operators::find_operator("matmul"), call, device).report;
}

/// Functional and timed product of 4096^3 on 24 cores against oneDNN's sgemm.
boost::json::object matmul_4096() {
  constexpr std::int64_t kN = 4096;
  constexpr double kBar = 3.0, kTensorsMb = 3.0 * kN * kN * 2 / 1e6,
                   kMemoryBarMb = kTensorsMb + 300;
  const Simulation simulate = [=](const sim::DeviceOptions& options) {
    sim::Device device(sim::SocConfig::named("Ascend910B1"), options);
    const operators::Call call = product_call(device, kN);
    observe::LaunchReport report;
    const auto run = [&] { report = multiply(device, call); };
    const double time = best_seconds(run);
    return boost::json::object{{"seconds", time},
                               {"billion_macs_per_second", double(kN) * kN * kN / time / 1e9},
                               {"simulated_cycles", report.cycles},
                               {"peak_memory_mb", peak_memory_mb()},
                               {"memory_bar_mb", kMemoryBarMb}};
  };
  boost::json::object result = beside_blas(simulate, sgemm_seconds(kN, kN, kN), kBar);
  const double memory = result.at("peak_memory_mb").to_number<double>();
  result["ok"] = result.at("ok").as_bool() && memory <= kMemoryBarMb;
  return result;
}
const BenchmarkRegistrar g_matmul_4096("matmul_4096",
                                       "host time of a timed fp16 4096^3 against a BLAS",
                                       matmul_4096);

/// Simulated 8192^3 on Ascend910B1 against the peak of its 24 cores.
boost::json::object matmul_8192() {
  constexpr std::int64_t kN = 8192;
  constexpr double kBar = 0.75, kFlopsPerCycle = 8192;
  sim::Device device(sim::SocConfig::named("Ascend910B1"));
  observe::LaunchReport report;
  const operators::Call call = product_call(device, kN);
  const double time = seconds([&] { report = multiply(device, call); });
  const double flops = 2.0 * kN * kN * kN;
  const double share =
      flops / static_cast<double>(report.cycles) / (kFlopsPerCycle * device.soc().aic_count());
  return {{"soc", "Ascend910B1"},
          {"simulated_cycles", report.cycles},
          {"simulated_us", report.time_us()},
          {"tflops", flops / report.time_us() / 1e6},
          {"share_of_peak", share},
          {"bar", kBar},
          {"host_seconds", time},
          {"ok", share >= kBar && share <= 1}};
}
const BenchmarkRegistrar g_matmul_8192("matmul_8192",
                                       "simulated fp16 8192^3 on Ascend910B1 against its peak",
                                       matmul_8192);

}  // namespace
}  // namespace davsim::bench
