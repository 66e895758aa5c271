// mla_indexer_prolog_quant as the registry sees it: both prologs in one launch.
#include "kernels/registry/operator.hpp"

#include <memory>

#include "kernels/common/case_table.hpp"
#include "kernels/common/checks.hpp"
#include "kernels/prolog/buffers.hpp"
#include "kernels/prolog/part.hpp"
#include "kernels/prolog/plan.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::ops {
namespace {

using prolog::IndexerPart;
using prolog::MlaPart;

const MlaPart& mla() {
  static const MlaPart part(prolog::Naming::fused_mla());
  return part;
}
const IndexerPart& indexer() {
  static const IndexerPart part(prolog::Naming::fused_indexer());
  return part;
}

template <class T>
std::vector<T> joined(std::vector<T> first, std::vector<T> second) {
  for (T& item : second) first.push_back(std::move(item));
  return first;
}

Cost sum_of(const Cost& a, const Cost& b) {
  Cost sum;
  sum.cube_flops_16bit = a.cube_flops_16bit + b.cube_flops_16bit;
  sum.cube_flops_8bit = a.cube_flops_8bit + b.cube_flops_8bit;
  sum.cube_flops_32bit = a.cube_flops_32bit + b.cube_flops_32bit;
  sum.vector_flops = a.vector_flops + b.vector_flops;
  sum.min_bytes = a.min_bytes + b.min_bytes;
  sum.min_written_bytes = a.min_written_bytes + b.min_written_bytes;
  return sum;
}

OperatorInfo describe() {
  OperatorInfo info;
  info.name = "mla_indexer_prolog_quant";
  info.summary = "mla_prolog_quant and lightning_indexer_prolog_quant on the same tokens, at once.";
  info.products = {"A2", "A3"};
  info.tensors = joined(joined(mla().inputs(), indexer().inputs()),
                        joined(mla().outputs(), indexer().outputs()));
  info.attributes = joined(mla().attributes(), indexer().attributes());
  info.limits = {
      "The sizes of DeepSeek-V3.2 only; t is 1 to 16384.",
      "token_x, cos, sin and cache_index serve both halves: one index for all five caches.",
  };
  return info;
}

// --- examples ------------------------------------------------------------------------------------

struct Sizes {
  std::int64_t tokens, pages;
};

Call plain_call(SeededData& data, const Sizes& sizes) {
  Call call;
  mla().add_inputs(call, data, sizes.tokens, sizes.pages);
  indexer().add_inputs(call, data, sizes.tokens, sizes.pages);
  return call;
}

std::vector<CaseRow<Sizes>> rows() {
  using E = ErrorClass;
  const Sizes small = {2, 1};
  return {
      {runs("MIP-1", "decode, 4 batches of 2 tokens"), {8, 32}, {}},
      {runs("MIP-2", "decode, 16 batches of 2 tokens"), {32, 32}, {}},
      {runs("MIP-3", "decode, 128 batches of 4 tokens"), {512, 128}, {}},
      {runs("MIP-4", "17 tokens, some of them not to be cached"),
       {17, 2},
       [](Call& call, SeededData&) {
         for (const int token : {0, 5, 16}) {
           call.tensors.at("cache_index").as<std::int64_t>()[token] = -1;
         }
       }},
      {refuses("MIP-N1", "cache_index points behind the pages", E::kIndex), small,
       [](Call& call, SeededData&) { call.tensors.at("cache_index").as<std::int64_t>()[1] = 128; }},
      {refuses("MIP-N2", "the indexer's caches have another number of pages", E::kShape), small,
       [](Call& call, SeededData& data) { indexer().add_inputs(call, data, 2, 2); }},
      {refuses("MIP-N3", "ip_layout_key is BSND", E::kAttr), small,
       [](Call& call, SeededData&) { call.attributes["ip_layout_key"] = "BSND"; }},
      {refuses("MIP-N4", "mla_cache_mode is PA_NZ", E::kAttr), small,
       [](Call& call, SeededData&) { call.attributes["mla_cache_mode"] = "PA_NZ"; }},
  };
}

const CaseTable<Sizes>& table() {
  static const CaseTable<Sizes> the_table("mla_indexer_prolog_quant", 0x4d495000u, plain_call,
                                          {rows()});
  return the_table;
}

// --- the operator --------------------------------------------------------------------------------

class MlaIndexerPrologQuant final : public Operator {
 public:
  const OperatorInfo& info() const override { return info_; }

  void check(const Call& call, const sim::SocConfig&) const override {
    mla().check_ranks(call);
    indexer().check_ranks(call);
    mla().check_shapes(call);
    indexer().check_shapes(call);
    require_same_pages(call);
    mla().check_attributes(call);
    indexer().check_attributes(call);
    mla().check_indices(call);
  }

  std::vector<TensorShape> infer(const Call& call) const override {
    return joined(mla().infer(call), indexer().infer(call));
  }

  traces::LaunchReport launch(const Call& call, TensorMap& outputs,
                              sim::Device& device) const override {
    prolog::Workspace workspace(device.memory());
    const MlaBuffers mla_half = prolog::mla_buffers(mla().name, call, outputs, workspace);
    const IndexerBuffers indexer_half =
        prolog::indexer_buffers(indexer().name, call, outputs, &mla_half, workspace);
    PrologTiling tiling = prolog::plan(prolog::Halves::kBoth, tokens_of(call), device.soc());
    const auto epsilon = [&](const char* name) {
      return static_cast<float>(float_attribute(call, name));
    };
    tiling.epsilon_cq = epsilon("mla_epsilon_cq");
    tiling.epsilon_ckv = epsilon("mla_epsilon_ckv");
    tiling.epsilon_k = epsilon("ip_layernorm_epsilon_k");
    return device.launch("mla_indexer_prolog_quant", device.soc().aic_count(), mla_half,
                         indexer_half, tiling);
  }

  Cost cost(const Call& call) const override {
    return sum_of(mla().cost(tokens_of(call)), indexer().cost(tokens_of(call)));
  }

  std::vector<ExampleCase> cases() const override { return table().examples(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return table().make(id, memory);
  }

 private:
  static std::int64_t tokens_of(const Call& call) { return tensor_of(call, "token_x").shape()[0]; }
  /// One index addresses the caches of both halves.
  static void require_same_pages(const Call& call) {
    const std::int64_t pages = tensor_of(call, "mla_kv_cache").shape()[0];
    const Shape& keys = tensor_of(call, "ip_k_int8").shape();
    require(keys[0] == pages, ErrorClass::kShape, "ip_k_int8 has the pages of mla_kv_cache",
            "found " + to_string(keys) + ", block_num is " + std::to_string(pages));
  }

  const OperatorInfo info_ = describe();
};

const OperatorRegistrar registrar(std::make_unique<MlaIndexerPrologQuant>());

}  // namespace
}  // namespace davsim::ops
