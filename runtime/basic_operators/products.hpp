// Products of matrices, by davsim's operator Matmul on the cube cores.
#pragma once

#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/tensors.hpp"

namespace davsim::basic {

/// A tensor of a call with the parameter's name.
struct Named {
  const aclTensor* tensor;
  const char* name;
};

/// How factors of float are computed: the documented values of cubeMathType. Only kUseHalf changes
/// results here, because the cube of the model computes float exactly.
enum class CubeMath : std::int8_t { kKeep = 0, kAllowDown = 1, kUseHalf = 2, kUseHf32 = 3 };
/// Throws ApiError(161002) for another number.
CubeMath cube_math(std::int8_t type);

/// out = a x b, where a is [..., M, K] and b [..., K, N] and batches are repeated to a common
/// shape. Either may have strides. Throws ApiError(161001, 161002).
void add_product(WorkList& work, const Named& a, const Named& b, const aclTensor& out,
                 CubeMath math = CubeMath::kKeep);
/// The same plus a row that is added to each row of the product; null: none.
void add_product_with_bias(WorkList& work, const Named& a, const Named& b, const Named& bias,
                           const aclTensor& out, CubeMath math);

/// The type in which two factors meet: float16, bfloat16, float or, of int8, int32 sums.
DataType product_type(const Named& a, const Named& b);

/// A view with two dimensions in each other's place.
const aclTensor* transposed(WorkList& work, const aclTensor& tensor, std::size_t first,
                            std::size_t second);

}  // namespace davsim::basic
