// FusedInferAttentionScore v2 as the registry sees it.
#include "kernels/registry/operator.hpp"

#include <memory>
#include <vector>

#include "kernels/attention/launch.hpp"
#include "kernels/fused_infer_attention_score_v2/cases.hpp"
#include "kernels/fused_infer_attention_score_v2/cost.hpp"
#include "kernels/fused_infer_attention_score_v2/outputs.hpp"
#include "kernels/fused_infer_attention_score_v2/request.hpp"
#include "kernels/fused_infer_attention_score_v2/spec.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using E = ErrorClass;

class FusedInferAttentionScore final : public Operator {
 public:
  const OperatorInfo& info() const override { return info_; }

  void validate(const Call& call, const sim::SocConfig&) const override {
    const Request r = read(call);
    if (r.empty) return;
    const auto lacking = attention::unsupported(r.problem);
    require(!lacking, E::kUnsupported, "the kernel can compute the call", lacking.value_or(""));
  }

  std::vector<TensorShape> infer(const Call& call) const override {
    return output_shapes(read(call));
  }

  observe::LaunchReport launch(const Call& call, TensorMap& outputs,
                               sim::Device& device) const override {
    const Request r = read(call);
    if (r.empty) return {};
    return attention::launch(problem_with(r, outputs), device);
  }

  Cost cost(const Call& call) const override {
    return fused_infer_attention_score::cost(read(call));
  }
  std::vector<ExampleCase> cases() const override { return fused_infer_attention_score::cases(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return fused_infer_attention_score::make_case(id, memory);
  }

 private:
  const OperatorInfo info_ = describe();
};

const OperatorRegistrar registrar(std::make_unique<FusedInferAttentionScore>());

}  // namespace
}  // namespace davsim::operators::fused_infer_attention_score
