// Parts of tensors. The copy takes no simulated time.
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

/// `sizes` elements of each dimension from `offsets` on; a size of -1 is all that are left.
const aclTensor* Slice(const aclTensor* x, const aclIntArray* offsets, const aclIntArray* sizes,
                       aclOpExecutor* executor);

}  // namespace l0op
