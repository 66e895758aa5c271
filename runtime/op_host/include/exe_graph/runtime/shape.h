// Sizes of a tensor.
#pragma once

#include "exe_graph/runtime/dim_list.h"

namespace gert {

/// The sizes of the dimensions; none are a scalar.
class Shape : public DimList {
 public:
  static constexpr std::int64_t kInvalidDimValue = kInvalid;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims) : DimList(dims) {}

  bool operator==(const Shape& other) const { return IsEqual(other); }
  bool operator!=(const Shape& other) const { return !IsEqual(other); }

  std::int64_t GetDim(std::size_t i) const { return Get(i); }
  void SetDim(std::size_t i, std::int64_t size) { Set(i, size); }
  Shape& AppendDim(std::int64_t size) {
    Append(size);
    return *this;
  }
  void SetScalar() { SetDimNum(0); }
  bool IsScalar() const { return GetDimNum() == 0; }

  /// The product of the sizes, so that it is negative where one of them is -1, and positive where
  /// two are. kInvalidDimValue where it exceeds 64 bits.
  std::int64_t GetShapeSize() const {
    std::int64_t size = 1;
    for (std::size_t i = 0; i < GetDimNum(); ++i) {
      if (__builtin_mul_overflow(size, Get(i), &size)) return kInvalidDimValue;
    }
    return size;
  }
};

}  // namespace gert
