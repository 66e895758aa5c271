// What the registry shows of FusedInferAttentionScore v2: tensors, attributes, limits.
#pragma once

#include "kernels/registry/operator.hpp"

namespace davsim::operators::fused_infer_attention_score {

/// Attributes that newer interfaces have and this one reserves.
inline constexpr const char* kReservedTypes[] = {"query_dtype",
                                                 "key_dtype",
                                                 "value_dtype",
                                                 "query_rope_dtype",
                                                 "key_rope_dtype",
                                                 "key_shared_prefix_dtype",
                                                 "value_shared_prefix_dtype",
                                                 "dequant_scale_query_dtype",
                                                 "dequant_scale_key_dtype",
                                                 "dequant_scale_value_dtype",
                                                 "dequant_scale_key_rope_dtype"};

OperatorInfo describe();

}  // namespace davsim::operators::fused_infer_attention_score
