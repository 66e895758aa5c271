#include "kernels/fused_infer_attention_score_v2/outputs.hpp"

#include "kernels/registry/attributes.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

bool wants_lse(const Request& r) {
  return bool_attribute(r.call, "return_softmax_lse");
}

Extents out_extents(const Request& r) {
  Extents extents = r.query;
  extents.width = r.problem.value_width;
  return extents;
}

/// softmax_lse is a query tensor of width 1, whatever the layout.
Axes lse_axes(const Request& r) {
  return r.behind_one_another() ? Axes::kTnd : Axes::kBnsd;
}

Extents lse_extents(const Request& r) {
  Extents extents = r.query;
  extents.width = 1;
  return extents;
}

}  // namespace

std::vector<TensorShape> output_shapes(const Request& r) {
  const Shape lse = wants_lse(r) ? shape_of(lse_axes(r), lse_extents(r)) : Shape{1};
  return {{"attention_out", r.out_type, shape_of(r.layout->out, out_extents(r))},
          {"softmax_lse", isa::DType::kF32, lse}};
}

attention::Problem problem_with(const Request& r, const TensorMap& outputs) {
  attention::Problem problem = r.problem;
  const Tensor& out = outputs.at("attention_out");
  problem.out = {out.gm(), out.dtype(), strides_of(r.layout->out, out_extents(r))};
  if (!wants_lse(r)) return problem;
  const Tensor& lse = outputs.at("softmax_lse");
  problem.lse = {lse.gm(), lse.dtype(), strides_of(lse_axes(r), lse_extents(r))};
  return problem;
}

}  // namespace davsim::operators::fused_infer_attention_score
