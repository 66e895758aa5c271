// Conversions between data types. They take no simulated time.
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

/// `x` itself where it has the type; null for types of less than a byte and complex ones.
const aclTensor* Cast(const aclTensor* x, op::DataType type, aclOpExecutor* executor);

}  // namespace l0op
