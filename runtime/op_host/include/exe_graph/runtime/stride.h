// Steps between the elements of a view.
#pragma once

#include "exe_graph/runtime/dim_list.h"

namespace gert {

/// The step of each dimension in elements.
class Stride : public DimList {
 public:
  static constexpr std::int64_t kInvalidStrideValue = kInvalid;

  Stride() = default;
  Stride(std::initializer_list<std::int64_t> strides) : DimList(strides) {}

  bool operator==(const Stride& other) const { return IsEqual(other); }
  bool operator!=(const Stride& other) const { return !IsEqual(other); }

  std::int64_t GetStride(std::size_t i) const { return Get(i); }
  void SetStride(std::size_t i, std::int64_t stride) { Set(i, stride); }
  Stride& AppendStride(std::int64_t stride) {
    Append(stride);
    return *this;
  }
};

}  // namespace gert
