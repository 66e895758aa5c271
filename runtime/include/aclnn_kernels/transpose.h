// Tensors with their dimensions in another order. The copy takes no simulated time.
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

/// Dimension i of the result is dimension order[i] of `x`.
const aclTensor* Transpose(const aclTensor* x, const aclIntArray* order, aclOpExecutor* executor);

}  // namespace l0op
