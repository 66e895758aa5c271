// lightning_indexer_prolog_quant as the registry sees it.
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
  static const std::unique_ptr<Part> the_part = indexer_part(Naming::alone());
  return *the_part;
}

Rows rows() {
  using E = ErrorClass;
  using isa::DType;
  const Sizes small = {2, 1};
  return {
      {runs("IPQ-1", "decode, 4 batches of 2 tokens"), {8, 64}, {}},
      {runs("IPQ-2", "decode, 8 batches of 2 tokens"), {16, 64}, {}},
      {runs("IPQ-3", "prefill of 4096 tokens"), {4096, 64}, {}},
      {runs("IPQ-4", "prefill, 2 batches of 4096 tokens"), {8192, 128}, {}},
      {runs("IPQ-5", "decode, 128 batches of 4 tokens"), {512, 128}, {}},
      {runs("IPQ-6", "17 tokens, some of them not to be cached"), {17, 2}, skip_some(part())},
      {runs("IPQ-7", "3 tokens, one of them all zeros"), {3, 1}, zero_token("q_norm_in")},
      {runs("IPQ-8", "5 tokens, scales of both signs"),
       {5, 1},
       [](Call& call, SeededData& data) {
         uniform({"wk_in", "w_proj_in", "ln_gamma_k", "ln_beta_k", "hadamard_q", "hadamard_k"}, 1)(
             call, data);
         uniform({"q_norm_scale_in", "w_qb_scale_in"}, 0.02)(call, data);
       }},
      {refuses("IPQ-N1", "k_cache_index is beyond the pages", E::kIndex), small,
       behind_the_pages(part())},
      {refuses("IPQ-N2", "layout_query is BSND", E::kAttr), small,
       with_attribute("layout_query", "BSND")},
      {refuses("IPQ-N3", "layout_key is BSND", E::kAttr), small,
       with_attribute("layout_key", "BSND")},
      {refuses("IPQ-N4", "scales of another number of pages", E::kShape), small,
       replaced("k_scale", DType::kF16, {2, 128, 1, 1})},
      {refuses("IPQ-N5", "x_in has three dimensions", E::kRank), small,
       replaced("x_in", DType::kBF16, {1, 2, 7168})},
      {refuses("IPQ-N6", "wk_in is float16", E::kDtype), small,
       replaced("wk_in", DType::kF16, {7168, 128})},
  };
}

class LightningIndexerPrologQuant final : public PrologOperator {
 public:
  LightningIndexerPrologQuant()
      : PrologOperator(
            {"lightning_indexer_prolog_quant",
             "Quantised queries and keys and head weights of DeepSeek's lightning indexer.",
             {"The sizes of DeepSeek-V3.2 only: hidden 7168, 64 heads of 128, a query latent of "
              "1536.",
              "t is 1 to 16384.",
              "Pages hold 128 tokens; k_cache_index is below block_num * 128, negative entries are "
              "skipped."},
             0x49505100u},
            {&part()}, rows()) {}

  observe::LaunchReport launch(const Call& call, TensorMap& outputs,
                               sim::Device& device) const override {
    Workspace workspace(device.memory());
    const IndexerBuffers buffers = indexer_buffers(part().name, call, outputs, nullptr, workspace);
    PrologTiling tiling = plan(Halves::kIndexer, tokens_of(call), device.soc());
    tiling.epsilon_k = static_cast<float>(float_attribute(call, "layernorm_epsilon_k"));
    return device.launch("lightning_indexer_prolog_quant", device.soc().aic_count(), buffers,
                         tiling);
  }
};

const OperatorRegistrar registrar(std::make_unique<LightningIndexerPrologQuant>());

}  // namespace
}  // namespace davsim::operators::prolog
