// The same elements with other sizes: views, which cost nothing where the elements of `x` follow
// each other.
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

/// One size may be -1: what is left over.
const aclTensor* Reshape(const aclTensor* x, const op::Shape& shape, aclOpExecutor* executor);
const aclTensor* Reshape(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor);
/// Sizes of 1 at these places of the result.
const aclTensor* UnsqueezeNd(const aclTensor* x, const aclIntArray* dims, aclOpExecutor* executor);
const aclTensor* UnsqueezeNd(const aclTensor* x, std::int64_t dim, aclOpExecutor* executor);
/// Without the sizes at these places, which are 1.
const aclTensor* SqueezeNd(const aclTensor* x, const aclIntArray* dims, aclOpExecutor* executor);
const aclTensor* SqueezeNd(const aclTensor* x, std::int64_t dim, aclOpExecutor* executor);

}  // namespace l0op
