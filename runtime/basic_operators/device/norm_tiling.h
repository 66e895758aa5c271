// What the host tells the kernel of norms along rows. Both sides include this file.
#pragma once

#include "row_shape.h"

namespace davsim_basic {

/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta, where x may be a sum of tensors.
struct NormTiling {
  RowShares shares;
  std::uint64_t weight_rows;  ///< of gamma and beta: row r of x takes row r % weight_rows
  Element in;                 ///< of all but gamma, beta, means and deviations, which are float
  std::uint32_t centred;      ///< 0: the mean counts as 0
  std::uint32_t has_second;   ///< 1: x2 is added to x
  std::uint32_t has_bias;     ///< 1: a row is added to all rows of x
  std::uint32_t has_gamma, has_beta;
  std::uint32_t has_sum;    ///< 1: the sum is written
  std::uint32_t has_means;  ///< 1: means are written
  std::uint32_t has_rstd;   ///< 1: 1 / sqrt(variance + epsilon) are written
  float epsilon;
};

}  // namespace davsim_basic
