// The vector of hand-written aclnn functions.
#pragma once

#include <cstddef>
#include <vector>

namespace op {

/// The number is how many elements the vendor's keeps within the object.
template <class T, std::size_t = 8>
using FVector = std::vector<T>;

}  // namespace op
