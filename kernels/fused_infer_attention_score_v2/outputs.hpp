// The outputs of a call.
#pragma once

#include <vector>

#include "kernels/fused_infer_attention_score_v2/request.hpp"

namespace davsim::operators::fused_infer_attention_score {

std::vector<TensorShape> output_shapes(const Request& request);
/// The request's problem with its outputs, tensors of output_shapes().
attention::Problem problem_with(const Request& request, const TensorMap& outputs);

}  // namespace davsim::operators::fused_infer_attention_score
