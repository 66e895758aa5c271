// Tensors with zeros around them. The copy takes no simulated time.
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

/// `paddings` has two numbers for each dimension: how many zeros come before and behind. The host
/// has them (ConvertToTensor).
const aclTensor* Pad(const aclTensor* x, const aclTensor* paddings, aclOpExecutor* executor);

}  // namespace l0op
