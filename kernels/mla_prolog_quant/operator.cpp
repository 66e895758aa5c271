// mla_prolog_quant as the registry sees it.
#include "kernels/registry/operator.hpp"

#include <memory>

#include "kernels/common/case_table.hpp"
#include "kernels/common/checks.hpp"
#include "kernels/prolog/buffers.hpp"
#include "kernels/prolog/part.hpp"
#include "kernels/prolog/plan.hpp"
#include "kernels/prolog/sizes.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::ops {
namespace {

using prolog::MlaPart;

const MlaPart& part() {
  static const MlaPart the_part(prolog::Naming::alone());
  return the_part;
}

OperatorInfo describe() {
  OperatorInfo info;
  info.name = "mla_prolog_quant";
  info.summary = "Absorbed MLA queries, and the compressed, quantised key in its paged caches.";
  info.products = {"A2", "A3"};
  info.tensors = part().inputs();
  for (TensorSpec& output : part().outputs()) info.tensors.push_back(std::move(output));
  info.attributes = part().attributes();
  info.limits = {
      "The sizes of DeepSeek-V3.2 only: hidden 7168, 128 heads, latents of 1536 and 512.",
      "t is 1 to 16384.",
      "Pages hold 128 tokens; cache_index is below block_num * 128, negative entries are skipped.",
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
      {runs("MPQ-1", "decode, 4 batches of 2 tokens"), {8, 32}, {}},
      {runs("MPQ-2", "decode, 64 batches of 2 tokens"), {128, 128}, {}},
      {runs("MPQ-3", "decode, 128 batches"), {128, 128}, {}},
      {runs("MPQ-4", "prefill of 128 tokens"), {128, 2}, {}},
      {runs("MPQ-5", "one token"), {1, 1}, {}},
      {runs("MPQ-6", "decode, 128 batches of 4 tokens"), {512, 128}, {}},
      {runs("MPQ-7", "17 tokens, some of them not to be cached"),
       {17, 2},
       [](Call& call, SeededData&) {
         for (const int token : {0, 5, 16}) {
           call.tensors.at("cache_index").as<std::int64_t>()[token] = -1;
         }
       }},
      {runs("MPQ-8", "3 tokens, one of them all zeros"),
       {3, 1},
       [](Call& call, SeededData&) {
         auto* x = call.tensors.at("token_x").as<std::uint16_t>();
         std::fill(x + prolog::kHidden, x + 2 * prolog::kHidden, std::uint16_t{0});
       }},
      {refuses("MPQ-N1", "cache_index points behind the pages", E::kIndex), small,
       [](Call& call, SeededData&) { call.tensors.at("cache_index").as<std::int64_t>()[1] = 128; }},
      {refuses("MPQ-N2", "cache_mode is PA_NZ", E::kAttr), small,
       [](Call& call, SeededData&) { call.attributes["cache_mode"] = "PA_NZ"; }},
      {refuses("MPQ-N3", "pages of 64 tokens", E::kShape), small,
       [](Call& call, SeededData& data) {
         call.tensors.insert_or_assign("kv_cache",
                                       data.zeros(DType::kI8, {2, 64, 1, 512}, "kv_cache"));
       }},
      {refuses("MPQ-N4", "hidden states of 7169", E::kShape), small,
       [](Call& call, SeededData& data) {
         call.tensors.insert_or_assign("token_x", data.zeros(DType::kBF16, {2, 7169}, "token_x"));
       }},
      {refuses("MPQ-N5", "w_uk has two dimensions", E::kRank), small,
       [](Call& call, SeededData& data) {
         call.tensors.insert_or_assign("w_uk", data.zeros(DType::kBF16, {128, 65536}, "w_uk"));
       }},
      {refuses("MPQ-N6", "token_x is float16", E::kDtype), small,
       [](Call& call, SeededData& data) {
         call.tensors.insert_or_assign("token_x", data.zeros(DType::kF16, {2, 7168}, "token_x"));
       }},
      {refuses("MPQ-N7", "gamma_cq is missing", E::kNull), small,
       [](Call& call, SeededData&) { call.tensors.erase("gamma_cq"); }},
  };
}

const CaseTable<Sizes>& table() {
  static const CaseTable<Sizes> the_table("mla_prolog_quant", 0x4d505100u, plain_call, {rows()});
  return the_table;
}

// --- the operator --------------------------------------------------------------------------------

class MlaPrologQuant final : public Operator {
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
    const MlaBuffers buffers = prolog::mla_buffers(part().name, call, outputs, workspace);
    PrologTiling tiling = prolog::plan(prolog::Halves::kMla, tokens_of(call), device.soc());
    tiling.epsilon_cq = static_cast<float>(float_attribute(call, "epsilon_cq"));
    tiling.epsilon_ckv = static_cast<float>(float_attribute(call, "epsilon_ckv"));
    return device.launch("mla_prolog_quant", device.soc().aic_count(), buffers, tiling);
  }

  Cost cost(const Call& call) const override { return part().cost(tokens_of(call)); }

  std::vector<ExampleCase> cases() const override { return table().examples(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return table().make(id, memory);
  }

 private:
  static std::int64_t tokens_of(const Call& call) { return tensor_of(call, "token_x").shape()[0]; }

  const OperatorInfo info_ = describe();
};

const OperatorRegistrar registrar(std::make_unique<MlaPrologQuant>());

}  // namespace
}  // namespace davsim::ops
