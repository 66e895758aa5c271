// Copies between views and elements that follow each other. They take no simulated time.
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

/// The elements of a view one behind the other: `x` itself where they are so already.
const aclTensor* Contiguous(const aclTensor* x, aclOpExecutor* executor);
/// Copies the elements of `x` to the view `y`.
const aclTensor* ViewCopy(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor);
/// The elements of a view that fill a part of the storage, in the storage's order.
const aclTensor* PickViewAsContiguous(const aclTensor* x, aclOpExecutor* executor);

}  // namespace l0op
