// FusedInferAttentionScore v2 as the registry sees it.
#include "kernels/registry/operator.hpp"

#include <memory>
#include <string>

#include "kernels/attention/launch.hpp"
#include "kernels/fused_infer_attention_score_v2/cases.hpp"
#include "kernels/fused_infer_attention_score_v2/cost.hpp"
#include "kernels/fused_infer_attention_score_v2/request.hpp"
#include "kernels/fused_infer_attention_score_v2/spec.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::ops::fia {
namespace {

using isa::DType;

Extents out_extents(const Request& r) {
  Extents extents = r.query;
  extents.width = r.problem.value_width;
  return extents;
}

Shape lse_shape(const Request& r) {
  if (!bool_attribute(r.call, "return_softmax_lse")) return {1};
  if (r.behind_one_another()) return {r.query.rows, r.query.heads, 1};
  return {r.query.batch, r.query.heads, r.query.rows, 1};
}

/// Adds the outputs to what the call says.
attention::Problem with_outputs(const Request& r, const TensorMap& outputs) {
  attention::Problem problem = r.problem;
  const Tensor& out = outputs.at("attention_out");
  problem.out = {out.gm(), out.dtype(), strides_of(r.layout->out, out_extents(r))};
  if (!bool_attribute(r.call, "return_softmax_lse")) return problem;
  const Tensor& lse = outputs.at("softmax_lse");
  const Axes axes = r.behind_one_another() ? Axes::kTnd : Axes::kBnsd;
  Extents single = r.query;
  single.width = 1;
  problem.lse = {lse.gm(), lse.dtype(), strides_of(axes, single)};
  return problem;
}

class FusedInferAttentionScore final : public Operator {
 public:
  const OperatorInfo& info() const override { return info_; }

  void check(const Call& call, const sim::SocConfig&) const override { read(call); }

  std::vector<TensorShape> infer(const Call& call) const override {
    const Request r = read(call);
    return {{"attention_out", r.out_type, shape_of(r.layout->out, out_extents(r))},
            {"softmax_lse", DType::kF32, lse_shape(r)}};
  }

  traces::LaunchReport launch(const Call& call, TensorMap& outputs,
                              sim::Device& device) const override {
    const Request r = read(call);
    return attention::launch(with_outputs(r, outputs), device);
  }

  Cost cost(const Call& call) const override { return fia::cost(read(call)); }
  std::vector<ExampleCase> cases() const override { return fia::cases(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return fia::make_case(id, memory);
  }

 private:
  const OperatorInfo info_ = describe();
};

const OperatorRegistrar registrar(std::make_unique<FusedInferAttentionScore>());

}  // namespace
}  // namespace davsim::ops::fia
