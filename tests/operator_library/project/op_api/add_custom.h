// The operator AddCustom as functions of this folder launch it.
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

/// x + alpha * y, of one type and shape.
const aclTensor* AddCustom(const aclTensor* x, const aclTensor* y, float alpha,
                           aclOpExecutor* executor);

}  // namespace l0op
