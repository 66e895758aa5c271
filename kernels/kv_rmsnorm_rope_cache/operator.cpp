// kv_rmsnorm_rope_cache as the registry sees it.
#include "kernels/registry/operator.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "kernels/common/duplicate_rows.hpp"
#include "kernels/kv_rmsnorm_rope_cache/problem.hpp"
#include "kernels/kv_rmsnorm_rope_cache/tiling.hpp"

namespace davsim::operators {
namespace kv_rmsnorm_rope_cache {
namespace {

using isa::DType;

std::vector<TensorSpec> describe_tensors() {
  constexpr Direction kIn = Direction::kIn, kOut = Direction::kOut, kInOut = Direction::kInOut;
  const std::vector<DType> kv = {DType::kBF16, DType::kF16};
  const std::vector<DType> cache = {DType::kBF16, DType::kF16, DType::kI8};
  const std::vector<DType> f32 = {DType::kF32};
  const std::string table = "[B, 1, S, 64] or [B, 1, 1, 64]";
  const std::string either = "[nb, bs, 1, W]; Norm: [B, 1, Smax, W]; ";
  return {
      {"kv", kIn, kv, "ND", "[B, 1, S, 576]", "required",
       "a token's compressed part (512) and rope part (64)"},
      {"gamma", kIn, kv, "ND", "[512]", "required", "weight of the RMSNorm, of kv's dtype"},
      {"cos", kIn, kv, "ND", table, "required", "full-width table, of kv's dtype"},
      {"sin", kIn, kv, "ND", table, "required", "full-width table, of kv's dtype"},
      {"index",
       kIn,
       {DType::kI64},
       "ND",
       "[B, S]; PA: [B*S]; PA_BLK: [B*ceil(S, bs)]",
       "required",
       "row of the caches a token goes to, or a row of the page a block of tokens goes to; -1: "
       "nowhere"},
      {"k_cache", kInOut, cache, "ND", either + "W = 64", "required",
       "takes the rotated part; of kv's dtype, int8 where quantised; NZ modes: a page's bytes are "
       "[W/C0, bs, C0]"},
      {"ckv_cache", kInOut, cache, "ND", either + "W = 512", "required",
       "takes the normalised part; as k_cache"},
      {"k_rope_scale", kIn, f32, "ND", "[64] or [1, 64]", "quantised", "multiplies, per channel"},
      {"c_kv_scale", kIn, f32, "ND", "[512] or [1, 512]", "quantised", "multiplies, per channel"},
      {"k_rope_offset", kIn, f32, "ND", "[64] or [1, 64]", "optional", "added after the scale"},
      {"c_kv_offset", kIn, f32, "ND", "[512] or [1, 512]", "optional", "added after the scale"},
      {"k_embed_out", kOut, kv, "ND", "[B, 1, S, 64]", "is_output_kv in a paged mode",
       "the rotated part"},
      {"y_out", kOut, kv, "ND", "[B, 1, S, 512]", "is_output_kv in a paged mode",
       "the normalised part"},
  };
}

OperatorInfo describe() {
  OperatorInfo info;
  info.name = "kv_rmsnorm_rope_cache";
  info.summary =
      "MLA cache writer: RMSNorm of 512, rope of 64 values a token, scattered in two caches.";
  info.products = {"A2", "A3"};
  info.tensors = describe_tensors();
  info.attributes = {
      {"epsilon", "float", boost::json::value(1e-5), "added to the mean square"},
      {"cache_mode", "string", boost::json::value("Norm"),
       "Norm, PA (or PA_BNSD), PA_NZ, PA_BLK_BNSD, PA_BLK_NZ"},
      {"is_output_kv", "bool", boost::json::value(false),
       "also output both parts in kv's dtype; ignored in Norm"},
      {"partial_quant", "bool", boost::json::value(false),
       "an extension: scales, and offsets, may be given one by one"},
  };
  info.limits = {
      "bs is a multiple of 16, with int8 caches of 32.",
      "nb >= ceil(S, bs)*B; Norm: Smax >= S.",
      "Norm does not quantise.",
      "Entries of index are -1 or rows of the caches; of two tokens on one row the last stays.",
  };
  return info;
}

class KvRmsnormRopeCacheOperator final : public Operator {
 public:
  const OperatorInfo& info() const override { return info_; }

  void validate_before_dtypes(const Call& call) const override { validate_ranks(call); }
  void validate(const Call& call, const sim::SocConfig&) const override {
    kv_rmsnorm_rope_cache::validate(call);
  }
  std::vector<std::string> warnings(const Call& call, bool thorough) const override {
    return kv_rmsnorm_rope_cache::warnings(call, thorough);
  }

  std::vector<TensorShape> infer(const Call& call) const override {
    const Problem p = problem_of(call);
    if (!p.output_kv) return {};
    return {{"k_embed_out", p.dtype, {p.batch, 1, p.seq_len, kRope}},
            {"y_out", p.dtype, {p.batch, 1, p.seq_len, kLatent}}};
  }

  observe::LaunchReport launch(const Call& call, TensorMap& outputs,
                               sim::Device& device) const override {
    const Problem problem = problem_of(call);
    Plan plan = kv_rmsnorm_rope_cache::plan(problem, device.soc().aiv_count(),
                                            device.soc().integer("AICoreSpec", "ub_size"));
    const Tensor index = index_for(call, problem, device.memory(), plan.tiling);
    const auto gm = [](const TensorMap& tensors, const char* name) {
      const auto found = tensors.find(name);
      return found == tensors.end() ? nullptr : found->second.gm();
    };
    const auto in = [&](const char* name) { return gm(call.tensors, name); };
    return device.launch("kv_rmsnorm_rope_cache", plan.block_dim, in("kv"), in("gamma"), in("cos"),
                         in("sin"), index.gm(), in("k_cache"), in("ckv_cache"), in("k_rope_scale"),
                         in("c_kv_scale"), in("k_rope_offset"), in("c_kv_offset"),
                         gm(outputs, "k_embed_out"), gm(outputs, "y_out"), plan.tiling);
  }

  Cost cost(const Call& call) const override {
    const Problem p = problem_of(call);
    const auto tokens = static_cast<double>(p.tokens());
    constexpr double kBytes = 2;  // of an element of kv
    Cost cost;
    // Square, sum, division and gamma; two products and a sum; a product where quantised.
    cost.vector_flops = tokens * (kLatent * 4 + kRope * 3);
    cost.vector_flops += tokens * ((p.ckv_quantised ? kLatent : 0) + (p.k_quantised ? kRope : 0));
    const auto table_rows = [&](bool per_token) {
      return static_cast<double>(per_token ? p.tokens() : p.batch);
    };
    double read = tokens * kRow * kBytes + kLatent * kBytes;
    read += (table_rows(p.cos_per_token) + table_rows(p.sin_per_token)) * kRope * kBytes;
    read += static_cast<double>(p.index_count()) * 8;
    for (const char* name : {"k_rope_scale", "c_kv_scale", "k_rope_offset", "c_kv_offset"}) {
      const auto found = call.tensors.find(name);
      if (found != call.tensors.end()) read += static_cast<double>(found->second.bytes());
    }
    const double row_bytes =
        kLatent * (p.ckv_quantised ? 1 : kBytes) + kRope * (p.k_quantised ? 1 : kBytes);
    cost.min_written_bytes = static_cast<double>(tokens_written(call, p)) * row_bytes;
    if (p.output_kv) cost.min_written_bytes += tokens * kRow * kBytes;
    cost.min_bytes = read + cost.min_written_bytes;
    return cost;
  }

  std::vector<ExampleCase> cases() const override { return kv_rmsnorm_rope_cache::cases(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return kv_rmsnorm_rope_cache::make_case(id, memory);
  }

 private:
  /// The index that the kernel reads: the caller's. If tokens meet in a row, it is a row for each
  /// token instead, without the tokens that do not stay, and the tiling says so.
  static Tensor index_for(const Call& call, const Problem& p, memory::GlobalMemory& memory,
                          KvRmsnormRopeCacheTiling& tiling) {
    const Tensor& given = call.tensors.at("index");
    std::vector<std::int64_t> rows;
    for (std::int64_t token = 0; token < p.tokens(); ++token) {
      rows.push_back(cache_row(p, given.as<std::int64_t>(), token));
    }
    const auto kept = last_writers(rows);
    if (!kept) return given;
    Tensor index(memory, DType::kI64, {p.tokens()}, "index without tokens that do not stay");
    std::copy(kept->begin(), kept->end(), index.as<std::int64_t>());
    tiling.index_of_page = tiling.index_of_batch = 0;
    return index;
  }

  static std::int64_t tokens_written(const Call& call, const Problem& p) {
    const auto* index = call.tensors.at("index").as<std::int64_t>();
    std::int64_t written = 0;
    for (std::int64_t token = 0; token < p.tokens(); ++token) {
      written += cache_row(p, index, token) >= 0 ? 1 : 0;
    }
    return written;
  }

  const OperatorInfo info_ = describe();
};

const OperatorRegistrar registrar(std::make_unique<KvRmsnormRopeCacheOperator>());

}  // namespace
}  // namespace kv_rmsnorm_rope_cache
}  // namespace davsim::operators
