// The least work of a call: its roofline.
#pragma once

#include "kernels/fused_infer_attention_score_v2/request.hpp"

namespace davsim::operators::fused_infer_attention_score {

Cost cost(const Request& request);

}  // namespace davsim::operators::fused_infer_attention_score
