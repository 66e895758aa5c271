// Shapes that are not known yet, and axes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exe_graph/runtime/shape.h"

namespace Ops {
namespace Base {

/// A shape of unknown rank is the single size -2; an unknown size is -1.
inline void SetUnknownRank(gert::Shape& shape) {
  shape = {-2};
}
inline bool IsUnknownRank(const gert::Shape& shape) {
  return shape.GetDimNum() == 1 && shape.GetDim(0) == -2;
}
/// `rank` unknown sizes.
inline void SetUnknownShape(std::int64_t rank, gert::Shape& shape) {
  shape.SetDimNum(static_cast<std::size_t>(rank < 0 ? 0 : rank));
  for (std::size_t i = 0; i < shape.GetDimNum(); ++i) shape.SetDim(i, -1);
}
inline bool IsUnknownShape(const gert::Shape& shape) {
  for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
    if (shape.GetDim(i) == -1) return true;
  }
  return false;
}

/// Whether `axis`, from the end if it is negative, is one of `rank` axes. A scalar has axis 0.
template <class Rank, class Axis>
bool CheckAxisBounds(const Rank rank, const Axis axis) {
  const auto axes = static_cast<std::int64_t>(rank), which = static_cast<std::int64_t>(axis);
  return axes == 0 ? which == 0 : which >= -axes && which < axes;
}

}  // namespace Base
}  // namespace Ops
