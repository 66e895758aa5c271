// Weighted sums of rows that numbers name.
#pragma once

#include <cstdint>

#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/tensors.hpp"

namespace davsim::basic {

/// out[i] = first[i] + second[i] + the sum over j of weights[i, j] * (table[rows[i, j]] +
/// biases[groups[i, j]]), in float. All tensors of rows have kernels' type of floating numbers.
struct WeightedRows {
  const aclTensor* table;              ///< [any, length]
  const aclTensor* rows;               ///< int32 [sums, choices]; less than 0: a row of zeros
  const aclTensor* weights = nullptr;  ///< float [sums, choices]; null: 1
  const aclTensor* biases = nullptr;   ///< [groups, length]
  const aclTensor* groups = nullptr;   ///< int32 [sums, choices], with biases
  const aclTensor* first = nullptr;    ///< [sums, length]
  const aclTensor* second = nullptr;   ///< [sums, length]
  const aclTensor* out;                ///< [sums, length]
};

/// Types and shapes are checked before, and so are the numbers. Elements follow each other. Throws
/// ApiError(161002) for more choices than the kernel takes.
void add_weighted_rows(WorkList& work, const WeightedRows& sums);

}  // namespace davsim::basic
