// How views lie in their storage, for hand-written aclnn functions.
#pragma once

#include <initializer_list>

#include "opdev/common_types.h"

namespace op {

inline bool IsContiguous(const aclTensor* tensor) {
  return tensor != nullptr && tensor->is_contiguous();
}
/// Whether the elements of the view fill a part of the storage, in whatever order.
bool CanPickViewAsContiguous(const aclTensor* tensor);
bool CanPickViewAsContiguous(std::initializer_list<const aclTensor*> tensors);
/// Whether the view lies within its storage.
bool Validate(const aclTensor* tensor);

}  // namespace op
