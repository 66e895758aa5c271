// Sizes of a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace gert {

/// At most kMaxDimNum sizes; no sizes are a scalar. There is room for all of them: a dimension that
/// is not counted can be set and read, and is 0 until then. Dimensions beyond kMaxDimNum are
/// ignored when they are set, and GetDim reads them as kInvalidDimValue.
class Shape {
 public:
  static constexpr std::size_t kMaxDimNum = 25;
  static constexpr std::int64_t kInvalidDimValue = std::numeric_limits<std::int64_t>::min();

  Shape() = default;
  /// More than kMaxDimNum sizes make a scalar.
  Shape(std::initializer_list<std::int64_t> dims) {
    if (dims.size() > kMaxDimNum) return;
    for (const std::int64_t dim : dims) AppendDim(dim);
  }

  bool operator==(const Shape& other) const {
    if (count_ != other.count_) return false;
    for (std::size_t i = 0; i < count_; ++i) {
      if (dims_[i] != other.dims_[i]) return false;
    }
    return true;
  }
  bool operator!=(const Shape& other) const { return !(*this == other); }

  std::size_t GetDimNum() const { return count_; }
  void SetDimNum(std::size_t count) { count_ = count < kMaxDimNum ? count : kMaxDimNum; }
  std::int64_t GetDim(std::size_t i) const { return i < kMaxDimNum ? dims_[i] : kInvalidDimValue; }
  const std::int64_t& operator[](std::size_t i) const { return dims_[Within(i)]; }
  std::int64_t& operator[](std::size_t i) { return dims_[Within(i)]; }
  void SetDim(std::size_t i, std::int64_t size) {
    if (i < kMaxDimNum) dims_[i] = size;
  }
  Shape& AppendDim(std::int64_t size) {
    if (count_ < kMaxDimNum) dims_[count_++] = size;
    return *this;
  }
  void SetScalar() { count_ = 0; }
  bool IsScalar() const { return count_ == 0; }

  /// The product of the sizes, so that it is negative where one of them is -1, and positive where
  /// two are. kInvalidDimValue where it exceeds 64 bits.
  std::int64_t GetShapeSize() const {
    std::int64_t size = 1;
    for (std::size_t i = 0; i < count_; ++i) {
      if (__builtin_mul_overflow(size, dims_[i], &size)) return kInvalidDimValue;
    }
    return size;
  }

 private:
  // An index beyond all leads to the last dimension, because a reference needs a place.
  static std::size_t Within(std::size_t i) { return i < kMaxDimNum ? i : kMaxDimNum - 1; }

  std::size_t count_ = 0;
  std::int64_t dims_[kMaxDimNum] = {};
};

}  // namespace gert
