// Products of whole numbers that stand for others, and of groups of rows with a weight each.
#pragma once

#include "runtime/basic_operators/products.hpp"

namespace davsim::basic {

/// out = (x1 x x2 + bias) * scale * per_token + offset, the product of int8 in int32.
struct QuantisedProduct {
  Named x1, x2;
  Named scale;      ///< float, bfloat16, or 64 bits whose lower half is a float: [N] or one number
  Named offset;     ///< float, of an int8 result: [N] or one number; or none
  Named per_token;  ///< float, one for each row; or none
  Named bias;       ///< int32 before the scale, other types behind it: [N]; or none
};

/// `out` is float16, bfloat16, float, int8 or, without scale, int32.
void add_quantised_product(WorkList& work, const QuantisedProduct& call, const aclTensor& out);

/// A weight of int8 or int4 that becomes (weight + offset) * scale in the type of x.
struct QuantisedWeight {
  Named weight;
  Named scale, offset;     ///< [N], one number, or a row for each group of rows; offset: or none
  std::int64_t group = 0;  ///< rows of a group; 0: all
};

/// A tensor of the workspace with the numbers that the weight stands for.
const aclTensor* dequantised(WorkList& work, const QuantisedWeight& of, DataType type);

/// The numbers of a tensor of int4, or of int32 words of eight of them, as int8; others as they
/// are.
const aclTensor* unpacked(WorkList& work, const aclTensor& tensor);

}  // namespace davsim::basic
