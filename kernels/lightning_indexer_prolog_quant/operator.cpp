// lightning_indexer_prolog_quant as the registry sees it.
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

const IndexerPart& part() {
  static const IndexerPart the_part(prolog::Naming::alone());
  return the_part;
}

OperatorInfo describe() {
  OperatorInfo info;
  info.name = "lightning_indexer_prolog_quant";
  info.summary = "Quantised queries and keys and head weights of DeepSeek's lightning indexer.";
  info.products = {"A2", "A3"};
  info.tensors = part().inputs();
  for (TensorSpec& output : part().outputs()) info.tensors.push_back(std::move(output));
  info.attributes = part().attributes();
  info.limits = {
      "The sizes of DeepSeek-V3.2 only: hidden 7168, 64 heads of 128, a query latent of 1536.",
      "t is 1 to 16384.",
      "Pages hold 128 tokens; k_cache_index is below block_num * 128, negative entries are "
      "skipped.",
  };
  return info;
}

// --- examples ------------------------------------------------------------------------------------

struct Sizes {
  std::int64_t tokens, pages;
};

Call plain_call(SeededData& data, const Sizes& sizes) {
  Call call;
  part().add_inputs(call, data, sizes.tokens, sizes.pages);
  return call;
}

std::vector<CaseRow<Sizes>> rows() {
  using E = ErrorClass;
  using isa::DType;
  const Sizes small = {2, 1};
  return {
      {runs("IPQ-1", "decode, 4 batches of 2 tokens"), {8, 64}, {}},
      {runs("IPQ-2", "decode, 8 batches of 2 tokens"), {16, 64}, {}},
      {runs("IPQ-3", "prefill of 4096 tokens"), {4096, 64}, {}},
      {runs("IPQ-4", "prefill, 2 batches of 4096 tokens"), {8192, 128}, {}},
      {runs("IPQ-5", "decode, 128 batches of 4 tokens"), {512, 128}, {}},
      {runs("IPQ-6", "17 tokens, some of them not to be cached"),
       {17, 2},
       [](Call& call, SeededData&) {
         for (const int token : {0, 5, 16}) {
           call.tensors.at("k_cache_index").as<std::int64_t>()[token] = -1;
         }
       }},
      {runs("IPQ-7", "3 tokens, one of them all zeros"),
       {3, 1},
       [](Call& call, SeededData&) {
         auto* q = call.tensors.at("q_norm_in").as<std::int8_t>();
         std::fill(q + 1536, q + 2 * 1536, std::int8_t{0});
       }},
      {refuses("IPQ-N1", "k_cache_index points behind the pages", E::kIndex), small,
       [](Call& call, SeededData&) {
         call.tensors.at("k_cache_index").as<std::int64_t>()[1] = 128;
       }},
      {refuses("IPQ-N2", "layout_query is BSND", E::kAttr), small,
       [](Call& call, SeededData&) { call.attributes["layout_query"] = "BSND"; }},
      {refuses("IPQ-N3", "layout_key is BSND", E::kAttr), small,
       [](Call& call, SeededData&) { call.attributes["layout_key"] = "BSND"; }},
      {refuses("IPQ-N4", "scales of another number of pages", E::kShape), small,
       [](Call& call, SeededData& data) {
         call.tensors.insert_or_assign("k_scale",
                                       data.zeros(DType::kF16, {2, 128, 1, 1}, "k_scale"));
       }},
      {refuses("IPQ-N5", "x_in has three dimensions", E::kRank), small,
       [](Call& call, SeededData& data) {
         call.tensors.insert_or_assign("x_in", data.zeros(DType::kBF16, {1, 2, 7168}, "x_in"));
       }},
      {refuses("IPQ-N6", "wk_in is float16", E::kDtype), small,
       [](Call& call, SeededData& data) {
         call.tensors.insert_or_assign("wk_in", data.zeros(DType::kF16, {7168, 128}, "wk_in"));
       }},
  };
}

const CaseTable<Sizes>& table() {
  static const CaseTable<Sizes> the_table("lightning_indexer_prolog_quant", 0x49505100u, plain_call,
                                          {rows()});
  return the_table;
}

// --- the operator --------------------------------------------------------------------------------

class LightningIndexerPrologQuant final : public Operator {
 public:
  const OperatorInfo& info() const override { return info_; }

  void check(const Call& call, const sim::SocConfig&) const override {
    part().check_ranks(call);
    part().check_shapes(call);
    part().check_attributes(call);
    part().check_indices(call);
  }

  std::vector<TensorShape> infer(const Call& call) const override { return part().infer(call); }

  traces::LaunchReport launch(const Call& call, TensorMap& outputs,
                              sim::Device& device) const override {
    prolog::Workspace workspace(device.memory());
    const IndexerBuffers buffers =
        prolog::indexer_buffers(part().name, call, outputs, nullptr, workspace);
    PrologTiling tiling = prolog::plan(prolog::Halves::kIndexer, tokens_of(call), device.soc());
    tiling.epsilon_k = static_cast<float>(float_attribute(call, "layernorm_epsilon_k"));
    return device.launch("lightning_indexer_prolog_quant", device.soc().aic_count(), buffers,
                         tiling);
  }

  Cost cost(const Call& call) const override { return part().cost(tokens_of(call)); }

  std::vector<ExampleCase> cases() const override { return table().examples(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return table().make(id, memory);
  }

 private:
  static std::int64_t tokens_of(const Call& call) { return tensor_of(call, "x_in").shape()[0]; }

  const OperatorInfo info_ = describe();
};

const OperatorRegistrar registrar(std::make_unique<LightningIndexerPrologQuant>());

}  // namespace
}  // namespace davsim::ops
