// Convolutions as products: each output position is a row of the input's elements that its kernel
// covers.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/basic_operators/products.hpp"

namespace davsim::basic {

struct Convolution {
  const aclTensor* input = nullptr;  ///< [N, C, spatial...]
  const aclTensor* weight =
      nullptr;  ///< [Out, C / groups, kernel...]; transposed: [C, Out / groups, kernel...]
  const aclTensor* bias = nullptr;                      ///< [Out] or none
  std::vector<std::int64_t> stride, padding, dilation;  ///< one for each spatial dimension
  std::vector<std::int64_t> output_padding;             ///< of a transposed one
  bool transposed = false;
  std::int64_t groups = 1;
};

/// The shape of the result. Throws ApiError(161001, 161002) for a call that breaks a rule.
Shape convolved_shape(const Convolution& call);
/// The same.
void add_convolution(WorkList& work, const Convolution& call, const aclTensor& out, CubeMath math);

}  // namespace davsim::basic
