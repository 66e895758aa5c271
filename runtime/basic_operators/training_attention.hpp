// Attention for training: products, a softmax and what its gradient needs, as kernels of their own.
#pragma once

#include <cstdint>

#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/views.hpp"

namespace davsim::basic {

/// Which keys a query does not see: the documented sparse modes 0 to 4.
struct Hidden {
  const aclTensor* mask = nullptr;  ///< bool or uint8; null: all keys are seen
  std::int64_t mode = 0, before = 0, behind = 0;
};

/// Sequences of one length. Views are [batch, heads, length, size]; query, out and statistics may
/// have a multiple of the heads of keys.
struct TrainingAttention {
  View query, key, value, out;
  View greatest, sums;  ///< [batch, heads, length, 8], float
  const aclTensor* pse = nullptr;
  Hidden hidden;
  double scale = 1;
};

/// out = softmax(scale * (query x key + pse), hidden) x value. A row that sees no key is 0, its
/// greatest score minus infinity and its sum 0. Types are checked before. Throws ApiError(161002).
void add_training_attention(WorkList& work, const TrainingAttention& call);

/// The gradients of that: `of.out` has the gradient of the result, and the statistics are those
/// that the function has given. Views as those of query, key and value.
struct TrainingAttentionGradient {
  TrainingAttention of;
  View query, key, value;
  const aclTensor* pse = nullptr;  ///< of the shape of `of.pse`; null: not wanted
};
/// As add_training_attention().
void add_training_attention_gradient(WorkList& work, const TrainingAttentionGradient& call);

}  // namespace davsim::basic
