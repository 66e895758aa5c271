// Norms along the last dimensions, or along groups of channels.
#pragma once

#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/rows.hpp"

namespace davsim::basic {

/// y = (x + x2 + bias - mean) / sqrt(variance + epsilon) * gamma + beta of [rows, length].
struct RowNorm {
  const aclTensor* x = nullptr;
  const aclTensor* second = nullptr;
  const aclTensor* bias = nullptr;   ///< [length]
  const aclTensor* gamma = nullptr;  ///< [weight_rows, length]
  const aclTensor* beta = nullptr;
  std::int64_t rows = 1, length = 1;
  std::int64_t weight_rows = 1;
  bool centred = true;
  double epsilon = 0;
  const aclTensor* y = nullptr;
  const aclTensor* sum = nullptr;    ///< the others are written if they are there
  const aclTensor* means = nullptr;  ///< an element for each row
  const aclTensor* rstd = nullptr;
};

/// Shapes and types are checked before; weights become float.
void add_norm(WorkList& work, const RowNorm& norm);

/// Throws ApiError(161002) unless the elements are batch * channels * size and channels have
/// groups.
void require_groups(const aclTensor& tensor, std::int64_t batch, std::int64_t channels,
                    std::int64_t size, std::int64_t groups);
/// The elements of [channels] for each of those of [groups, channels / groups * size], in float;
/// null stays null.
const aclTensor* for_each_channel(WorkList& work, const aclTensor* tensor, const char* name,
                                  std::int64_t channels, std::int64_t size, std::int64_t groups);

}  // namespace davsim::basic
