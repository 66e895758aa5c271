// The attention kernel of this project's operators, for attention whose kernel is a vendor's or
// somebody else's: dense keys and values, or, with rope parts, the same rows for both (MLA).
#include <cmath>

#include "bench/silicon/kernels/operator_launch.hpp"
#include "bench/silicon/kernels/operator_type.hpp"
#include "bench/silicon/latent_cut.hpp"
#include "kernels/attention/launch.hpp"

namespace davsim::silicon {
namespace {

namespace attention = operators::attention;

constexpr std::int64_t kRopeWidth = 64;
constexpr std::uint32_t kWidthUnit = 16;  ///< heads of other widths are padded before the kernel

/// Allocates the tensors of a problem: [batch, row, head, width], as layout BSND has them.
class ProblemMaker {
 public:
  ProblemMaker(sim::Device& device, const Params& p)
      : device_(device),
        batches_(p.size("b")),
        query_rows_(p.size("sq")),
        kv_rows_(p.size("skv")),
        type_(type_named(p.text("type", "half"))) {
    problem_.query_heads = p.size("nq");
    problem_.kv_heads = p.divisor("nkv", "nq");
    problem_.key_width = problem_.value_width = round_up(p.size("d"), kWidthUnit);
    if (p.number("rope", 0) != 0) problem_.rope_width = kRopeWidth;
    // A row sees no key behind it; the last one sees all.
    if (p.number("causal", 0) != 0) problem_.window = {attention::Window::kUnbounded, 0, true};
    problem_.scale = static_cast<float>(1 / std::sqrt(p.size("d")));
    // On some of the cores each takes whole tiles: 128 rows of query against all keys.
    problem_.split.cores = p.number("cores", 0);
    problem_.split.parts = parts(p);
  }

  attention::Problem make() {
    problem_.batches.resize(static_cast<std::size_t>(batches_));
    for (attention::Batch& batch : problem_.batches) {
      batch.query_rows = query_rows_;
      batch.kv_rows = kv_rows_;
    }
    problem_.query = of_query("query", problem_.key_width);
    problem_.out = of_query("out", problem_.value_width);
    problem_.key = of_kv("key", problem_.key_width);
    if (problem_.rope_width > 0) {
      problem_.query_rope = of_query("query_rope", problem_.rope_width);
      problem_.key_rope = of_kv("key_rope", problem_.rope_width);
      problem_.value = problem_.key;
    } else {
      problem_.value = of_kv("value", problem_.value_width);
    }
    problem_.kv_past_l2 = past_l2();
    problem_.unit_tiles = unit_tiles();
    return std::move(problem_);
  }

 private:
  /// Into how many parts the keys of a tile are cut; 0: as the operator's own tiling thinks best.
  std::int64_t parts(const Params& p) const {
    if (problem_.split.cores > 0) return 1;
    if (problem_.rope_width == 0 || query_rows_ > LatentAttention::kFewRows) return 0;
    return LatentAttention{batches_,    problem_.kv_heads, problem_.group(),
                           query_rows_, kv_rows_,          cube_cores(device_, p)}
        .parts();
  }
  /// The vendor's kernel for other than latent attention multiplies units of up to 512 rows of
  /// query of a kv head, whose tiles are of 128 rows here.
  std::int64_t unit_tiles() const {
    if (problem_.rope_width > 0 || problem_.split.cores > 0) return 0;
    constexpr std::int64_t kTileRows = 128, kUnitRows = 512;
    const std::int64_t rows = std::min(problem_.group() * query_rows_, kUnitRows);
    return (rows + kTileRows - 1) / kTileRows;
  }
  /// The vendor's kernels read keys and values past L2 where each of them is read for one row of
  /// query and they are 1.2 times what L2 holds.
  bool past_l2() const {
    const auto row = static_cast<std::uint64_t>(problem_.kv_heads * problem_.key_width);
    const auto rows = static_cast<std::uint64_t>(batches_ * kv_rows_);
    const std::uint64_t bytes = 2 * rows * row * isa::dtype_bytes(type_);
    return query_rows_ == 1 && problem_.rope_width == 0 &&
           bytes * 10 >= device_.soc().l2_bytes() * 12;
  }
  std::uint8_t* room(const char* name, std::int64_t rows, std::int64_t row_elements) {
    const auto elements = static_cast<std::uint64_t>(batches_ * rows * row_elements);
    return allocate<std::uint8_t>(device_, elements * isa::dtype_bytes(type_), name);
  }
  static attention::Strides strides(std::int64_t rows, std::int64_t heads, std::int64_t width) {
    return {rows * heads * width, width, heads * width};
  }
  attention::QueryTensor of_query(const char* name, std::int64_t width) {
    const std::int64_t heads = problem_.query_heads;
    return {room(name, query_rows_, heads * width), type_, strides(query_rows_, heads, width)};
  }
  attention::KvTensor of_kv(const char* name, std::int64_t width) {
    const std::int64_t heads = problem_.kv_heads;
    attention::KvTensor tensor;
    tensor.data = {room(name, kv_rows_, heads * width)};
    tensor.type = type_;
    tensor.strides = strides(kv_rows_, heads, width);
    return tensor;
  }

  sim::Device& device_;
  std::int64_t batches_, query_rows_, kv_rows_;
  isa::DType type_;
  attention::Problem problem_;
};

/// The vector cores of the vendor's kernel for other than latent attention set the output to zero
/// and meet, before they take scores.
struct ZeroOutput {
  static constexpr std::uint32_t kMost = 16 * 1024;  ///< elements at a time
  std::int16_t* out;
  std::uint64_t elements;

  void operator()() const {
    using namespace AscendC;
    if (elements == 0 || !api::core_has(isa::Pipe::V)) return;
    const auto cores = static_cast<std::uint64_t>(GetBlockNum() * GetSubBlockNum());
    const std::uint64_t share = round_up((elements + cores - 1) / cores, std::uint64_t{16});
    const std::uint64_t first = static_cast<std::uint64_t>(GetBlockIdx()) * share;
    const auto zeros = local<std::int16_t>(TPosition::VECCALC, 0, kMost);
    Duplicate(zeros, std::int16_t{0}, kMost);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID7);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID7);
    const std::uint64_t end = std::min(elements, first + share);
    for (std::uint64_t at = first; at < end; at += kMost) {
      const std::uint64_t count = std::min<std::uint64_t>(kMost, end - at);
      DataCopy(global(out + at, static_cast<std::uint32_t>(count)), zeros,
               static_cast<std::uint32_t>(count));
    }
    SetFlag<HardEvent::MTE3_V>(EVENT_ID7);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID7);
    SyncAll<true>();
  }
};

std::function<observe::LaunchReport()> prepare(sim::Device& device, const Params& params) {
  const attention::Problem problem = ProblemMaker(device, params).make();
  // The vendor's kernels read the fields of FusedInferAttentionScoreTilingData; their cube cores
  // also the descriptors of keys and values, which are lists of tensors. Kernels for given cores
  // are not the vendor's.
  KernelReads reads;
  if (params.number("cores", 0) == 0) reads = {.tiling = 1560, .cube_scalars = 2};
  const Preamble preamble = Preamble::of(device, params, reads);
  const bool units = problem.unit_tiles > 0;
  const ZeroOutput zeros{
      reinterpret_cast<std::int16_t*>(problem.out.data),
      units ? static_cast<std::uint64_t>(problem.query_heads * problem.value_width) *
                  problem.batches.size() * static_cast<std::uint64_t>(problem.batches[0].query_rows)
            : 0};
  return [=, &device] {
    const attention::Preparation ready(problem, device);
    const auto first = [=] {
      preamble();
      zeros();
    };
    return launch_for_vendor(device, first, "attention", ready.block_dim(), ready.tiling());
  };
}

const KernelRegistrar g_attention(
    {"attention",
     "the kernel of the attention operators: b sq skv nq d [nkv type rope causal cores tiling "
     "scalars]",
     prepare});

}  // namespace
}  // namespace davsim::silicon
