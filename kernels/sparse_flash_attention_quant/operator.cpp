// sparse_flash_attention_quant as the registry sees it.
#include "kernels/registry/operator.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "kernels/attention/launch.hpp"
#include "kernels/common/require.hpp"
#include "kernels/sparse_flash_attention_quant/problem.hpp"
#include "kernels/sparse_flash_attention_quant/sparse_flash_attention_tiling.h"

namespace davsim::operators {
namespace sparse_flash_attention {
namespace {

using isa::DType;

OperatorInfo describe() {
  constexpr Direction kIn = Direction::kIn, kOut = Direction::kOut;
  const auto in = [&](const char* name, std::vector<DType> types, const char* shape,
                      const char* need, const char* doc) {
    return TensorSpec{name, kIn, std::move(types), "ND", shape, need, doc};
  };
  OperatorInfo info;
  info.name = "sparse_flash_attention_quant";
  info.summary = "MLA attention of each query token over the cache rows chosen for it.";
  info.products = {"A2", "A3"};
  info.tensors = {
      in("query_nope", {DType::kBF16}, "[t*128, 512]", "required",
         "absorbed queries; row (b*s1 + s)*128 + n"),
      in("query_rope", {DType::kBF16}, "[t*128, 64]", "required", "rotated part of the queries"),
      in("key_nope_2d", {DType::kI8, DType::kBF16}, "[block_num*128, 512]", "required",
         "key latents, the values too"),
      in("key_rope_2d", {DType::kBF16}, "[block_num*128, 64]", "required", "rotated keys"),
      in("k_nope_scales", {DType::kF32}, "[block_num*128, 4]", "with int8 keys",
         "scale of each quarter of a key row; ignored beside bfloat16 keys"),
      in("topk_indices", {DType::kI32}, "[t, 2048]", "required",
         "positions in the batch; only the first n of a row are read"),
      in("block_table", {DType::kI32}, "[b, maxblocks]", "required", "pages of each batch"),
      in("kv_act_seqs", {DType::kI32}, "[b]", "required", "keys of each batch, this step's too"),
      {"attention_out",
       kOut,
       {DType::kBF16},
       "ND",
       "[b, s1, 128, 512]",
       "always",
       "zeros for a token that sees no key"},
  };
  info.attributes = {
      {"nq", "int", boost::json::value(128), "query heads; 128"},
      {"n_kv", "int", boost::json::value(1), "key heads; 1"},
      {"softmax_scale", "float", boost::json::value(1 / std::sqrt(576.0)),
       "multiplies the scores; the model uses 192^-0.5"},
      {"topk", "int", boost::json::value(2048), "most keys of a token, 1 to 2048"},
      {"block_size", "int", boost::json::value(128), "tokens of a page; 128"},
      {"max_blocknum_perbatch", "int", boost::json::value(nullptr),
       "columns of block_table, if given"},
  };
  info.limits = {
      "Token s of batch b uses n = min(max(kv_act_seqs[b] - s1 + 1 + s, 0), topk) entries.",
      "Positions may repeat; each occurrence counts.",
  };
  return info;
}

/// Of each token, the entries it uses.
std::vector<std::int64_t> used_of(const Call& call, const Problem& p) {
  const auto* lengths = tensor_of(call, "kv_act_seqs").as<std::int32_t>();
  std::vector<std::int64_t> used;
  for (std::int64_t token = 0; token < p.tokens(); ++token) {
    used.push_back(used_entries(p, lengths[token / p.steps], token % p.steps));
  }
  return used;
}

/// Rows of the cache that any token uses; a second use hits L2.
std::int64_t distinct_rows(const Call& call, const Problem& p,
                           const std::vector<std::int64_t>& used) {
  const auto* positions = tensor_of(call, "topk_indices").as<std::int32_t>();
  const auto* pages = tensor_of(call, "block_table").as<std::int32_t>();
  std::vector<bool> seen(static_cast<std::size_t>(p.key_rows));
  for (std::int64_t token = 0; token < p.tokens(); ++token) {
    for (std::int64_t i = 0; i < used[static_cast<std::size_t>(token)]; ++i) {
      const std::int64_t position = positions[token * kMostSelected + i];
      const std::int64_t page = pages[token / p.steps * p.blocks + position / kPage];
      seen[static_cast<std::size_t>(page * kPage + position % kPage)] = true;
    }
  }
  return std::count(seen.begin(), seen.end(), true);
}

/// Every token is a batch of one query row, whose keys are those of its own list.
attention::Problem attention_of(const Call& call, const Problem& p, TensorMap& outputs) {
  const auto queries = [](const Tensor& tensor, std::int64_t width) {
    return attention::QueryTensor{tensor.gm(), DType::kBF16, {kHeads * width, width, width}};
  };
  attention::Problem a;
  a.query_heads = kHeads;
  a.kv_heads = 1;
  a.key_width = a.value_width = kLatent;
  a.rope_width = kRope;
  a.query = queries(tensor_of(call, "query_nope"), kLatent);
  a.query_rope = queries(tensor_of(call, "query_rope"), kRope);
  a.out = queries(outputs.at("attention_out"), kLatent);
  a.key.type = DType::kBF16;
  a.key.storage = attention::Storage::kFed;
  a.key_rope = a.value = a.key;
  a.key.strides.row = a.value.strides.row = kLatent;
  a.key_rope.strides.row = kRope;
  std::uint8_t* lists = tensor_of(call, "topk_indices").gm();
  for (const std::int64_t used : used_of(call, p)) {
    a.batches.push_back({1, used});
    a.key.data.push_back(lists);
    lists += kMostSelected * sizeof(std::int32_t);
  }
  a.pages = {tensor_of(call, "block_table").as<std::int32_t>(), p.blocks, kPage, p.steps};
  a.scale = static_cast<float>(p.scale);
  a.two_pass = true;
  a.feed_bytes = SparseUb::All(p.quantised);
  a.feed_rows = SparseUb::kListed;
  // Rows are gathered in pieces, by two vector cores.
  a.split.grain = 2 * SparseUb::kRows;
  return a;
}

SparseCache cache_of(const Call& call, const Problem& p) {
  const auto address = [&](const char* name) {
    return reinterpret_cast<std::uintptr_t>(tensor_of(call, name).gm());
  };
  SparseCache cache{};
  cache.latents = address("key_nope_2d");
  cache.rope = address("key_rope_2d");
  if (p.quantised) cache.scales = address("k_nope_scales");
  cache.pages = static_cast<std::uint32_t>(p.blocks);
  cache.quantised = p.quantised ? 1 : 0;
  return cache;
}

class SparseFlashAttentionQuant final : public Operator {
 public:
  const OperatorInfo& info() const override { return info_; }

  void validate(const Call& call, const sim::SocConfig&) const override {
    sparse_flash_attention::validate(call);
  }

  std::vector<TensorShape> infer(const Call& call) const override {
    const Problem p = problem_of(call);
    return {{"attention_out", DType::kBF16, {p.batches, p.steps, kHeads, kLatent}}};
  }

  observe::LaunchReport launch(const Call& call, TensorMap& outputs,
                               sim::Device& device) const override {
    const Problem p = problem_of(call);
    const attention::Preparation ready(attention_of(call, p, outputs), device);
    const SparseFlashAttentionTiling tiling = {ready.tiling(), cache_of(call, p)};
    return device.launch("sparse_flash_attention_quant", ready.block_dim(), tiling);
  }

  Cost cost(const Call& call) const override {
    const Problem p = problem_of(call);
    const std::vector<std::int64_t> used = used_of(call, p);
    double keys = 0;
    for (const std::int64_t n : used) keys += static_cast<double>(n);
    const auto tokens = static_cast<double>(p.tokens());
    const double key_bytes = (p.quantised ? 512 + 16 : 1024) + 128;
    Cost cost;
    cost.cube_flops_16bit = 2 * kHeads * keys * (2 * kLatent + kRope);
    cost.vector_flops = 5 * kHeads * keys;
    cost.min_written_bytes = tokens * kHeads * kLatent * 2;
    cost.min_bytes = tokens * kHeads * (kLatent + kRope) * 2 + cost.min_written_bytes + 4 * keys +
                     static_cast<double>(distinct_rows(call, p, used)) * key_bytes;
    return cost;
  }

  std::vector<ExampleCase> cases() const override { return sparse_flash_attention::cases(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return sparse_flash_attention::make_case(id, memory);
  }

 private:
  const OperatorInfo info_ = describe();
};

const OperatorRegistrar registrar(std::make_unique<SparseFlashAttentionQuant>());

}  // namespace
}  // namespace sparse_flash_attention
}  // namespace davsim::operators
