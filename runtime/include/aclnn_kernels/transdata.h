// Tensors in other formats.
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

/// Lets the same elements have another name of their format.
const aclTensor* ReFormat(const aclTensor* x, const op::Format& format,
                          aclOpExecutor* executor = nullptr);
/// `x` itself for a format in which its elements lie already; there is no other here, and the
/// result null.
const aclTensor* TransData(const aclTensor* x, op::Format format, std::int64_t groups,
                           aclOpExecutor* executor);

}  // namespace l0op
