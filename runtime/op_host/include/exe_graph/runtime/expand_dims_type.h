// Which dimensions of size 1 a shape is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "exe_graph/runtime/shape.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

namespace gert {

/// A rule names the dimensions of the result from the left: 1 is a new one, 0 one of the shape. By
/// "0110" [2, 3] becomes [2, 1, 1, 3]. Sizes that the rule does not name follow at the end.
class ExpandDimsType {
 public:
  using AxisIndex = std::uint64_t;
  static constexpr std::size_t kMaxExpandSize = 56;

  ExpandDimsType() = default;
  /// A rule that is too long is none.
  explicit ExpandDimsType(const char* rule) {
    if (rule == nullptr || std::strlen(rule) > kMaxExpandSize) return;
    size_ = std::strlen(rule);
    for (AxisIndex i = 0; i < size_; ++i) {
      if (rule[i] == '1') SetExpandIndex(i);
    }
  }

  bool operator==(const ExpandDimsType& other) const {
    return size_ == other.size_ && mask_ == other.mask_;
  }

  AxisIndex GetFullSize() const { return size_; }
  void SetExpandIndex(AxisIndex i) { mask_ |= std::uint64_t{1} << i; }
  bool IsExpandIndex(AxisIndex i) const { return (mask_ >> i & 1) != 0; }

  /// A shape that has as many dimensions as the rule stays as it is. Fails where the rule names
  /// more of the shape's dimensions than there are.
  ge::graphStatus Expand(const Shape& shape, Shape& expanded) const {
    if (shape.GetDimNum() == size_) {
      expanded = shape;
      return ge::GRAPH_SUCCESS;
    }
    Shape result;
    std::size_t next = 0;
    for (AxisIndex i = 0; i < size_; ++i) {
      if (!IsExpandIndex(i) && next == shape.GetDimNum()) return ge::GRAPH_FAILED;
      result.AppendDim(IsExpandIndex(i) ? 1 : shape.GetDim(next++));
    }
    while (next < shape.GetDimNum()) result.AppendDim(shape.GetDim(next++));
    expanded = result;
    return ge::GRAPH_SUCCESS;
  }

 private:
  std::uint64_t size_ = 0, mask_ = 0;
};

}  // namespace gert
