// Sizes of tensors, for hand-written aclnn functions.
#pragma once

#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"

namespace op {

/// "[8,2048]"
ge::AscendString ToString(const Shape& shape);
ge::AscendString ToString(const std::vector<std::int64_t>& sizes);

void ToShape(const std::int64_t* sizes, std::uint64_t count, Shape& shape);
inline void ToShape(const ShapeVector& sizes, Shape& shape) {
  ToShape(sizes.data(), sizes.size(), shape);
}
ShapeVector ToShapeVector(const Shape& shape);

/// Whether two shapes can be broadcast to one; sizes are compared from the last.
bool CheckBroadcastShape(const Shape& a, const Shape& b);
bool BroadcastInferShape(const Shape& a, const Shape& b, Shape& result);

}  // namespace op
