// mla_indexer_prolog_quant as the registry sees it: both prologs in one launch.
#include <memory>

#include "kernels/common/require.hpp"
#include "kernels/prolog/buffers.hpp"
#include "kernels/prolog/plan.hpp"
#include "kernels/prolog/prolog_operator.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::prolog {
namespace {

const Part& mla() {
  static const std::unique_ptr<Part> part = mla_part(Naming::fused_mla());
  return *part;
}
const Part& indexer() {
  static const std::unique_ptr<Part> part = indexer_part(Naming::fused_indexer());
  return *part;
}

Rows rows() {
  using E = ErrorClass;
  const Sizes small = {2, 1};
  return {
      {runs("MIP-1", "decode, 4 batches of 2 tokens"), {8, 32}, {}},
      {runs("MIP-2", "decode, 16 batches of 2 tokens"), {32, 32}, {}},
      {runs("MIP-3", "decode, 128 batches of 4 tokens"), {512, 128}, {}},
      {runs("MIP-4", "17 tokens, some of them not to be cached"), {17, 2}, skip_some(mla())},
      {runs("MIP-5", "one token"), {1, 1}, {}},
      {runs("MIP-6", "3 tokens, one of them all zeros"), {3, 1}, zero_token("token_x")},
      {refuses("MIP-N1", "cache_index is beyond the pages", E::kIndex), small,
       behind_the_pages(mla())},
      {refuses("MIP-N2", "the indexer's caches have another number of pages", E::kShape), small,
       [](Call& call, SeededData& data) { indexer().add_inputs(call, data, 2, 2); }},
      {refuses("MIP-N3", "ip_layout_key is BSND", E::kAttr), small,
       with_attribute("ip_layout_key", "BSND")},
      {refuses("MIP-N4", "mla_cache_mode is PA_NZ", E::kAttr), small,
       with_attribute("mla_cache_mode", "PA_NZ")},
  };
}

class MlaIndexerPrologQuant final : public PrologOperator {
 public:
  MlaIndexerPrologQuant()
      : PrologOperator(
            {"mla_indexer_prolog_quant",
             "mla_prolog_quant and lightning_indexer_prolog_quant on the same tokens, at once.",
             {"The sizes of DeepSeek-V3.2 only; t is 1 to 16384.",
              "token_x, cos, sin and cache_index serve both halves: one index for all five "
              "caches."},
             0x4d495000u},
            {&mla(), &indexer()}, rows()) {}

  observe::LaunchReport launch(const Call& call, TensorMap& outputs,
                               sim::Device& device) const override {
    Workspace workspace(device.memory());
    const MlaBuffers mla_half = mla_buffers(mla().name, call, outputs, workspace);
    const IndexerBuffers indexer_half =
        indexer_buffers(indexer().name, call, outputs, &mla_half, workspace);
    PrologTiling tiling = plan(Halves::kBoth, tokens_of(call), device.soc());
    const auto epsilon = [&](const char* name) {
      return static_cast<float>(float_attribute(call, name));
    };
    tiling.epsilon_cq = epsilon("mla_epsilon_cq");
    tiling.epsilon_ckv = epsilon("mla_epsilon_ckv");
    tiling.epsilon_k = epsilon("ip_layernorm_epsilon_k");
    return device.launch("mla_indexer_prolog_quant", device.soc().aic_count(), mla_half,
                         indexer_half, tiling);
  }
};

const OperatorRegistrar registrar(std::make_unique<MlaIndexerPrologQuant>());

}  // namespace
}  // namespace davsim::operators::prolog
