// mla_prolog_quant as the registry sees it.
#include <memory>

#include "kernels/common/require.hpp"
#include "kernels/prolog/buffers.hpp"
#include "kernels/prolog/plan.hpp"
#include "kernels/prolog/prolog_operator.hpp"
#include "kernels/prolog/sizes.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::prolog {
namespace {

const Part& part() {
  static const std::unique_ptr<Part> the_part = mla_part(Naming::alone());
  return *the_part;
}

Rows rows() {
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
      {runs("MPQ-7", "17 tokens, some of them not to be cached"), {17, 2}, skip_some(part())},
      {runs("MPQ-8", "3 tokens, one of them all zeros"), {3, 1}, zero_token("token_x")},
      {runs("MPQ-9", "5 tokens, everything in [-1, 1), scales of both signs"),
       {5, 1},
       uniform({"w_dq", "dequant_scale", "w_uk", "w_dkv_kr", "gamma_cq", "gamma_ckv"}, 1)},
      {refuses("MPQ-N1", "cache_index is beyond the pages", E::kIndex), small,
       behind_the_pages(part())},
      {refuses("MPQ-N2", "cache_mode is PA_NZ", E::kAttr), small,
       with_attribute("cache_mode", "PA_NZ")},
      {refuses("MPQ-N3", "pages of 64 tokens", E::kShape), small,
       replaced("kv_cache", DType::kI8, {2, 64, 1, 512})},
      {refuses("MPQ-N4", "hidden states of 7169", E::kShape), small,
       replaced("token_x", DType::kBF16, {2, 7169})},
      {refuses("MPQ-N5", "w_uk has two dimensions", E::kRank), small,
       replaced("w_uk", DType::kBF16, {128, 65536})},
      {refuses("MPQ-N6", "token_x is float16", E::kDtype), small,
       replaced("token_x", DType::kF16, {2, 7168})},
      {refuses("MPQ-N7", "gamma_cq is missing", E::kNull), small,
       [](Call& call, SeededData&) { call.tensors.erase("gamma_cq"); }},
  };
}

class MlaPrologQuant final : public PrologOperator {
 public:
  MlaPrologQuant()
      : PrologOperator({"mla_prolog_quant",
                        "Absorbed MLA queries, and the compressed, quantised key in its paged "
                        "caches.",
                        {"The sizes of DeepSeek-V3.2 only: hidden 7168, 128 heads, latents of 1536 "
                         "and 512.",
                         "t is 1 to 16384.",
                         "Pages hold 128 tokens; cache_index is below block_num * 128, negative "
                         "entries are skipped."},
                        0x4d505100u},
                       {&part()}, rows()) {}

  observe::LaunchReport launch(const Call& call, TensorMap& outputs,
                               sim::Device& device) const override {
    Workspace workspace(device.memory());
    const MlaBuffers buffers = mla_buffers(part().name, call, outputs, workspace);
    PrologTiling tiling = plan(Halves::kMla, tokens_of(call), device.soc());
    tiling.epsilon_cq = static_cast<float>(float_attribute(call, "epsilon_cq"));
    tiling.epsilon_ckv = static_cast<float>(float_attribute(call, "epsilon_ckv"));
    return device.launch("mla_prolog_quant", device.soc().aic_count(), buffers, tiling);
  }
};

const OperatorRegistrar registrar(std::make_unique<MlaPrologQuant>());

}  // namespace
}  // namespace davsim::operators::prolog
