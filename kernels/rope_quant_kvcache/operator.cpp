// RopeQuantKvcache as the registry sees it.
#include "kernels/registry/operator.hpp"

#include <memory>
#include <string>

#include "kernels/registry/attributes.hpp"
#include "kernels/rope_quant_kvcache/problem.hpp"
#include "kernels/rope_quant_kvcache/tiling.hpp"

namespace davsim::operators {
namespace rope_quant_kvcache {
namespace {

using isa::DType;

std::vector<TensorSpec> tensors() {
  constexpr Direction kIn = Direction::kIn, kOut = Direction::kOut, kInOut = Direction::kInOut;
  return {
      {"qkv",
       kIn,
       {DType::kF16},
       "ND",
       "[B, S, H], H = (Nq + 2*Nkv)*D",
       "required",
       "fused projection: q heads, then k heads, then v heads"},
      {"cos", kIn, {DType::kF16}, "ND", "[B, S, 1, D]", "required", "full-width table"},
      {"sin", kIn, {DType::kF16}, "ND", "[B, S, 1, D]", "required", "full-width table"},
      {"quant_scale", kIn, {DType::kF32}, "ND", "[D]", "required", "divisor of each channel"},
      {"quant_offset",
       kIn,
       {DType::kI32},
       "ND",
       "[D]",
       "required",
       "added after the division, one for each channel"},
      {"k_cache",
       kInOut,
       {DType::kI8},
       "ND",
       "[B, Smax, Nkv, D]",
       "required",
       "rows indice[b] .. indice[b]+S-1 of each batch are replaced"},
      {"v_cache", kInOut, {DType::kI8}, "ND", "[B, Smax, Nkv, D]", "required", "as k_cache"},
      {"indice",
       kIn,
       {DType::kI32},
       "ND",
       "[B] or [B, 1]",
       "required",
       "cache position of each batch's first token"},
      {"q", kOut, {DType::kF16}, "ND", "[B, S, Nq, D]", "always", "rotated q"},
      {"k",
       kOut,
       {DType::kF16},
       "ND",
       "[B, S, Nkv, D]",
       "kv_output",
       "rotated k before quantisation"},
      {"v", kOut, {DType::kF16}, "ND", "[B, S, Nkv, D]", "kv_output", "v before quantisation"},
  };
}

OperatorInfo describe() {
  OperatorInfo info;
  info.name = "rope_quant_kvcache";
  info.summary =
      "Splits qkv, rotates q and k, quantises k and v to int8 and appends them to their caches.";
  info.products = {"A2"};
  info.tensors = tensors();
  info.attributes = {
      {"size_splits", "int list", std::nullopt, "{Nq*D, Nkv*D, Nkv*D}"},
      {"layout", "string", boost::json::value("BSND"),
       "\"BSND\"; \"BNSD\" only if S is 1, because the bytes are then the same"},
      {"kv_output", "bool", boost::json::value(false), "also output k and v in float16"},
  };
  info.limits = {
      "D is a multiple of 32.",
      "indice[b] >= 0 and indice[b] + S <= Smax.",
      "float16 only; Atlas A2 only.",
      "One head fits in UB: D is at most " + std::to_string(max_head_dim(192 * 1024)) +
          " on SoCs with 192 KiB of UB.",
  };
  return info;
}

class RopeQuantKvcacheOperator final : public Operator {
 public:
  const OperatorInfo& info() const override { return info_; }

  void validate(const Call& call, const sim::SocConfig& soc) const override {
    rope_quant_kvcache::validate(call, soc);
  }

  std::vector<TensorShape> infer(const Call& call) const override {
    const Problem p = problem_of(call);
    const Shape kv = {p.batch, p.seq_len, p.kv_heads, p.head_dim};
    std::vector<TensorShape> outputs = {
        {"q", DType::kF16, {p.batch, p.seq_len, p.query_heads, p.head_dim}}};
    if (p.kv_output) {
      outputs.push_back({"k", DType::kF16, kv});
      outputs.push_back({"v", DType::kF16, kv});
    }
    return outputs;
  }

  observe::LaunchReport launch(const Call& call, TensorMap& outputs,
                               sim::Device& device) const override {
    const Problem p = problem_of(call);
    const Plan plan = rope_quant_kvcache::plan(p, device.soc().aiv_count(),
                                               device.soc().integer("AICoreSpec", "ub_size"));
    const auto in = [&](const char* name) { return call.tensors.at(name).gm(); };
    const auto out = [&](const char* name) {
      const auto found = outputs.find(name);
      return found == outputs.end() ? nullptr : found->second.gm();
    };
    return device.launch("rope_quant_kvcache", plan.block_dim, in("qkv"), in("cos"), in("sin"),
                         in("quant_scale"), in("quant_offset"), in("k_cache"), in("v_cache"),
                         in("indice"), out("q"), out("k"), out("v"), plan.tiling);
  }

  Cost cost(const Call& call) const override {
    const Problem p = problem_of(call);
    const auto tokens = static_cast<double>(p.tokens());
    const auto d = static_cast<double>(p.head_dim);
    const auto nq = static_cast<double>(p.query_heads), nkv = static_cast<double>(p.kv_heads);
    Cost cost;
    // Two products and a sum an element of the rope; a division and a sum an element of the
    // quantisation.
    cost.vector_flops = tokens * ((nq + nkv) * d * 3 + 2 * nkv * d * 2);
    // A token: qkv, cos and sin in; q and two int8 rows out.
    const double read = tokens * ((nq + 2 * nkv) * d * 2 + 2 * d * 2) + d * (4 + 4) +
                        static_cast<double>(p.batch) * 4;
    cost.min_written_bytes = tokens * (nq * d * 2 + 2 * nkv * d);
    if (p.kv_output) cost.min_written_bytes += tokens * 2 * nkv * d * 2;
    cost.min_bytes = read + cost.min_written_bytes;
    return cost;
  }

  std::vector<ExampleCase> cases() const override { return rope_quant_kvcache::cases(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return rope_quant_kvcache::make_case(id, memory);
  }

 private:
  const OperatorInfo info_ = describe();
};

const OperatorRegistrar registrar(std::make_unique<RopeQuantKvcacheOperator>());

}  // namespace

Problem problem_of(const Call& call) {
  const Shape& qkv = call.tensors.at("qkv").shape();
  const Shape& cache = call.tensors.at("k_cache").shape();
  Problem problem;
  problem.batch = qkv[0];
  problem.seq_len = qkv[1];
  problem.cache_len = cache[1];
  problem.kv_heads = cache[2];
  problem.head_dim = cache[3];
  problem.query_heads = int_list_attribute(call, "size_splits")[0] / problem.head_dim;
  problem.kv_output = bool_attribute(call, "kv_output");
  return problem;
}

}  // namespace rope_quant_kvcache
}  // namespace davsim::operators
