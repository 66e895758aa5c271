// Attention on simulated cores against the bounds that each case has: the cubes' peak on visible
// scores, or HBM.
#include <algorithm>
#include <boost/json/object.hpp>

#include "bench/bench.hpp"
#include "bench/blas.hpp"
#include "kernels/attention/launch.hpp"
#include "kernels/common/seeded_data.hpp"

namespace davsim::bench {
namespace {

namespace attention = operators::attention;
using isa::DType;

constexpr double kMacsPerCycle = 4096;  // of 16-bit elements, a cube
constexpr double kHbmBytesPerSecond = 1.6e12;

/// A launch and the tensors it works on; values are all the same few, as timing does not depend on
/// them.
struct Case {
  attention::Problem problem;
  std::vector<operators::Tensor> tensors;

  std::uint8_t* add(sim::Device& device, std::int64_t elements, const char* name) {
    operators::Tensor& t =
        tensors.emplace_back(device.memory(), DType::kBF16, operators::Shape{elements}, name);
    auto* values = t.as<std::uint16_t>();
    constexpr std::uint16_t kValues[] = {0x3f80, 0x3e80, 0xbe00, 0x3d00, 0xbf00};
    for (std::int64_t i = 0; i < elements; ++i) values[i] = kValues[i % 5];
    return t.gm();
  }
};

/// One batch of BNSD heads that see up to the diagonal.
Case causal_prefill(sim::Device& device, std::int64_t heads, std::int64_t rows) {
  constexpr std::int64_t kWidth = 128;
  Case c;
  attention::Problem& p = c.problem;
  p.query_heads = p.kv_heads = heads;
  p.key_width = p.value_width = kWidth;
  p.scale = 0.0883883f;
  p.batches = {{rows, rows, 0, 0}};
  p.window.after = 0;
  p.window.right_down = true;
  const attention::Strides strides = {heads * rows * kWidth, rows * kWidth, kWidth};
  const std::int64_t elements = heads * rows * kWidth;
  p.query = {c.add(device, elements, "query"), DType::kBF16, strides};
  p.key.data = {c.add(device, elements, "key")};
  p.value.data = {c.add(device, elements, "value")};
  p.key.type = p.value.type = DType::kBF16;
  p.key.strides = p.value.strides = strides;
  p.out = {c.add(device, elements, "out"), DType::kBF16, strides};
  return c;
}

/// Pages in order; every batch has `context` rows.
void add_pages(Case& c, sim::Device& device, std::int64_t batches, std::int64_t context) {
  constexpr std::int64_t kPageRows = 128;
  const std::int64_t columns = context / kPageRows;
  operators::Tensor& table = c.tensors.emplace_back(
      device.memory(), DType::kI32, operators::Shape{batches, columns}, "block_table");
  for (std::int64_t i = 0; i < batches * columns; ++i) {
    table.as<std::int32_t>()[i] = static_cast<std::int32_t>(i);
  }
  c.problem.pages = {table.as<std::int32_t>(), columns, kPageRows};
  for (std::int64_t b = 0; b < batches; ++b) c.problem.batches.push_back({1, context, b, 0});
}

Case grouped_decode(sim::Device& device) {
  constexpr std::int64_t kBatches = 32, kHeads = 64, kKvHeads = 8, kContext = 8192, kWidth = 128;
  Case c;
  attention::Problem& p = c.problem;
  p.query_heads = kHeads;
  p.kv_heads = kKvHeads;
  p.key_width = p.value_width = kWidth;
  p.scale = 0.0883883f;
  add_pages(c, device, kBatches, kContext);
  const attention::Strides rows = {0, kWidth, kHeads * kWidth};
  p.query = {c.add(device, kBatches * kHeads * kWidth, "query"), DType::kBF16, rows};
  p.out = {c.add(device, kBatches * kHeads * kWidth, "out"), DType::kBF16, rows};
  const std::int64_t elements = kBatches * kContext * kKvHeads * kWidth;
  p.key.data = {c.add(device, elements, "key")};
  p.value.data = {c.add(device, elements, "value")};
  p.key.type = p.value.type = DType::kBF16;
  p.key.storage = p.value.storage = attention::Storage::kPagedRows;
  p.key.strides = p.value.strides = {128 * kKvHeads * kWidth, kWidth, kKvHeads * kWidth};
  return c;
}

Case latent_decode(sim::Device& device) {
  constexpr std::int64_t kBatches = 64, kHeads = 128, kContext = 4096, kWidth = 512, kRope = 64;
  Case c;
  attention::Problem& p = c.problem;
  p.query_heads = kHeads;
  p.kv_heads = 1;
  p.key_width = p.value_width = kWidth;
  p.rope_width = kRope;
  p.scale = 0.0721688f;
  p.rounding = attention::Rounding::kNearestAway;
  add_pages(c, device, kBatches, kContext);
  const std::int64_t rows = kBatches * kHeads;
  p.query = {c.add(device, rows * kWidth, "query"), DType::kBF16, {0, kWidth, kHeads * kWidth}};
  p.query_rope = {
      c.add(device, rows * kRope, "query_rope"), DType::kBF16, {0, kRope, kHeads * kRope}};
  p.out = {c.add(device, rows * kWidth, "out"), DType::kBF16, {0, kWidth, kHeads * kWidth}};
  p.key.data = {c.add(device, kBatches * kContext * kWidth, "key")};
  p.key_rope.data = {c.add(device, kBatches * kContext * kRope, "key_rope")};
  p.key.type = p.key_rope.type = DType::kBF16;
  p.key.storage = p.key_rope.storage = attention::Storage::kPagedNz;
  p.key.strides = {128 * kWidth, 128 * kWidth, 16};
  p.key_rope.strides = {128 * kRope, 128 * kRope, 16};
  p.value = p.key;
  return c;
}

/// Work on what is visible.
double flops(const attention::Problem& p) {
  return 2 * attention::visible_scores(p) *
         static_cast<double>(p.key_width + p.rope_width + p.value_width);
}

double share_of_cube(const attention::Problem& p, const observe::LaunchReport& report,
                     const sim::Device& device) {
  return flops(p) / 2 / kMacsPerCycle / device.soc().aic_count() /
         static_cast<double>(report.cycles);
}

/// Shares of the launch that the pipes worked, of all their cores, and L2 bytes a cycle: what
/// bounds a case.
boost::json::object busy(const observe::LaunchReport& report) {
  boost::json::object shares;
  const auto add = [&](const char* name, isa::CoreType type, isa::Pipe pipe) {
    double busy = 0, cores = 0;
    for (const observe::CoreCounters& core : report.cores) {
      if (core.type != type) continue;
      busy += static_cast<double>(core.pipes[static_cast<std::size_t>(pipe)].in_flight);
      ++cores;
    }
    shares[name] = busy / cores / static_cast<double>(report.cycles);
  };
  add("cube", isa::CoreType::AIC, isa::Pipe::M);
  add("fix", isa::CoreType::AIC, isa::Pipe::FIX);
  add("mte1", isa::CoreType::AIC, isa::Pipe::MTE1);
  add("mte2_cube", isa::CoreType::AIC, isa::Pipe::MTE2);
  add("vector", isa::CoreType::AIV, isa::Pipe::V);
  add("mte2_vector", isa::CoreType::AIV, isa::Pipe::MTE2);
  add("mte3_vector", isa::CoreType::AIV, isa::Pipe::MTE3);
  shares["l2_bytes_per_cycle"] =
      static_cast<double>(report.memory.l2_bytes) / static_cast<double>(report.cycles);
  return shares;
}

boost::json::object against_cube(Case (*make)(sim::Device&), const char* soc, double bar) {
  sim::Device device(sim::SocConfig::named(soc));
  const Case c = make(device);
  device.flush_l2();
  observe::LaunchReport report;
  const double host = seconds([&] { report = attention::launch(c.problem, device); });
  const double share = share_of_cube(c.problem, report, device);
  return {{"soc", soc},
          {"simulated_cycles", report.cycles},
          {"simulated_us", report.time_us()},
          {"share_of_cube_peak", share},
          {"bar", bar},
          {"busy", busy(report)},
          {"host_seconds", host},
          {"ok", share >= bar && share <= 1}};
}

Case prefill_2048(sim::Device& device) {
  return causal_prefill(device, 32, 2048);
}
Case prefill_8192(sim::Device& device) {
  return causal_prefill(device, 8, 8192);
}

const BenchmarkRegistrar g_prefill_2048(
    "attention_prefill_2048",
    "causal prefill S=2048, 32 heads of 128, bf16, against the cubes' peak",
    [] { return against_cube(prefill_2048, "Ascend910B3", 0.35); });
const BenchmarkRegistrar g_prefill_2048_a3("attention_prefill_2048_a3",
                                           "the same on one die of an Atlas A3", [] {
                                             return against_cube(prefill_2048, "Ascend910_9392",
                                                                 0.35);
                                           });
const BenchmarkRegistrar g_prefill_8192(
    "attention_prefill_8192",
    "causal prefill S=8192, 8 heads of 128, bf16, against the cubes' peak",
    [] { return against_cube(prefill_8192, "Ascend910B3", 0.45); });
const BenchmarkRegistrar g_prefill_8192_a3("attention_prefill_8192_a3",
                                           "the same on one die of an Atlas A3", [] {
                                             return against_cube(prefill_8192, "Ascend910_9392",
                                                                 0.45);
                                           });
const BenchmarkRegistrar g_latent(
    "attention_latent_decode",
    "MLA decode B=64, 128 heads, context 4096, NZ pages, against the peak",
    [] { return against_cube(latent_decode, "Ascend910B3", 0.45); });
const BenchmarkRegistrar g_latent_a3("attention_latent_decode_a3",
                                     "the same on one die of an Atlas A3", [] {
                                       return against_cube(latent_decode, "Ascend910_9392", 0.45);
                                     });

boost::json::object decode_against_hbm(const char* soc) {
  constexpr double kBar = 0.65;
  sim::Device device(sim::SocConfig::named(soc));
  const Case c = grouped_decode(device);
  device.flush_l2();
  observe::LaunchReport report;
  const double host = seconds([&] { report = attention::launch(c.problem, device); });
  double bytes = 0;
  for (const operators::Tensor& t : c.tensors) bytes += static_cast<double>(t.bytes());
  const double share = bytes / (report.time_us() * 1e-6) / kHbmBytesPerSecond;
  return {{"soc", soc},
          {"simulated_cycles", report.cycles},
          {"simulated_us", report.time_us()},
          {"terabytes_per_second", share * kHbmBytesPerSecond / 1e12},
          {"share_of_hbm", share},
          {"bar", kBar},
          {"busy", busy(report)},
          {"host_seconds", host},
          {"ok", share >= kBar && share <= 1}};
}
const BenchmarkRegistrar g_decode("attention_grouped_decode",
                                  "GQA decode B=32, 64/8 heads, context 8192, paged, against HBM",
                                  [] { return decode_against_hbm("Ascend910B3"); });
const BenchmarkRegistrar g_decode_a3("attention_grouped_decode_a3",
                                     "the same on one die of an Atlas A3",
                                     [] { return decode_against_hbm("Ascend910_9392"); });

/// Host time of a functional and timed causal prefill against the BLAS on the same work.
boost::json::object prefill_host() {
  constexpr double kBar = 4;
  const Simulation simulate = [](const sim::DeviceOptions& options) {
    sim::Device device(sim::SocConfig::named("Ascend910B3"), options);
    const Case c = prefill_2048(device);
    const auto run = [&] { attention::launch(c.problem, device); };
    return boost::json::object{{"seconds", best_seconds(run)},
                               {"peak_memory_mb", peak_memory_mb()}};
  };
  // 32 heads of 2048 rows, of which row i sees i + 1 keys and values of 128 elements.
  constexpr double kFlops = 32 * (2048.0 * 2049 / 2) * 2 * (128 + 128);
  constexpr std::int64_t kN = 2048;
  const double product = sgemm_seconds(kN, kN, kN);
  return beside_blas(simulate, product * kFlops / (2.0 * kN * kN * kN), kBar);
}
const BenchmarkRegistrar g_host("attention_prefill_host",
                                "host time of a timed causal prefill S=2048 against a BLAS",
                                prefill_host);

}  // namespace
}  // namespace davsim::bench
