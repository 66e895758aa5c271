// Matrix products through the operator: host time against a BLAS, simulated time against the peak.
#include <dnnl.h>
#include <omp.h>

#include <algorithm>
#include <boost/json/object.hpp>

#include "bench/bench.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::bench {
namespace {

ops::Tensor half_matrix(sim::Device& device, std::int64_t n, const char* name) {
  ops::Tensor tensor(device.memory(), isa::DType::kF16, {n, n}, name);
  auto* values = tensor.as<std::uint16_t>();
  // 1, 2, 0.5, ... in turn: any finite values do.
  constexpr std::uint16_t kValues[] = {0x3c00, 0x4000, 0x3800, 0xbc00, 0x3400};
  for (std::int64_t i = 0; i < n * n; ++i) values[i] = kValues[i % 5];
  return tensor;
}

/// A product of two fp16 matrices of n x n.
ops::Call product_call(sim::Device& device, std::int64_t n) {
  ops::Call call;
  call.tensors["a"] = half_matrix(device, n, "a");
  call.tensors["b"] = half_matrix(device, n, "b");
  return call;
}

traces::LaunchReport multiply(sim::Device& device, const ops::Call& call) {
  return ops::run(ops::find_operator("matmul"), call, device).report;
}

double blas_seconds(std::int64_t n) {
  const auto elements = static_cast<std::size_t>(n * n);
  const std::vector<float> a(elements, 1.5f), b(elements, 0.5f);
  std::vector<float> c(elements);
  const auto product = [&] {
    dnnl_sgemm('N', 'N', n, n, n, 1.0f, a.data(), n, b.data(), n, 0.0f, c.data(), n);
  };
  omp_set_num_threads(1);  // the simulation has one thread, so has its yardstick
  product();               // generates code, touches memory
  return std::min(seconds(product), seconds(product));
}

/// Functional and timed product of 4096^3 on 24 cores against oneDNN's sgemm, one thread each.
boost::json::object matmul_4096() {
  constexpr std::int64_t kN = 4096;
  constexpr double kBar = 3.0, kMemoryBarMb = 300;
  sim::Device device(sim::SocConfig::named("Ascend910B1"));
  const ops::Call call = product_call(device, kN);
  const double tensors = 3.0 * kN * kN * 2 / 1e6;
  traces::LaunchReport report;
  const auto simulate = [&] { report = multiply(device, call); };
  // The better of two runs each: others may be using this machine.
  const double simulation = std::min(seconds(simulate), seconds(simulate));
  const double memory = peak_memory_mb();
  const double blas = blas_seconds(kN);
  const double ratio = simulation / blas;
  return {{"seconds", simulation},
          {"blas", "oneDNN sgemm, one thread"},
          {"blas_seconds", blas},
          {"ratio_to_blas", ratio},
          {"bar", kBar},
          {"billion_macs_per_second", double(kN) * kN * kN / simulation / 1e9},
          {"simulated_cycles", report.cycles},
          {"peak_memory_mb", memory},
          {"memory_bar_mb", tensors + kMemoryBarMb},
          {"ok", ratio <= kBar && memory <= tensors + kMemoryBarMb}};
}
const BenchmarkRegistrar g_matmul_4096("matmul_4096",
                                       "host time of a timed fp16 4096^3 against a BLAS",
                                       matmul_4096);

/// Simulated 8192^3 on Ascend910B1 against the peak of its 24 cores.
boost::json::object matmul_8192() {
  constexpr std::int64_t kN = 8192;
  constexpr double kBar = 0.75, kFlopsPerCycle = 8192;
  sim::Device device(sim::SocConfig::named("Ascend910B1"));
  traces::LaunchReport report;
  const ops::Call call = product_call(device, kN);
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
