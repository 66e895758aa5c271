// Steps between the elements of a view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace gert {

/// The step of each dimension in elements, at most kMaxDimNum. What gert::Shape says of sizes that
/// are not counted, of those beyond all, and of lists that are too long holds here too.
class Stride {
 public:
  static constexpr std::size_t kMaxDimNum = 25;
  static constexpr std::int64_t kInvalidStrideValue = std::numeric_limits<std::int64_t>::min();

  Stride() = default;
  Stride(std::initializer_list<std::int64_t> strides) {
    if (strides.size() > kMaxDimNum) return;
    for (const std::int64_t stride : strides) AppendStride(stride);
  }

  bool operator==(const Stride& other) const {
    if (count_ != other.count_) return false;
    for (std::size_t i = 0; i < count_; ++i) {
      if (strides_[i] != other.strides_[i]) return false;
    }
    return true;
  }
  bool operator!=(const Stride& other) const { return !(*this == other); }

  std::size_t GetDimNum() const { return count_; }
  void SetDimNum(std::size_t count) { count_ = count < kMaxDimNum ? count : kMaxDimNum; }
  std::int64_t GetStride(std::size_t i) const {
    return i < kMaxDimNum ? strides_[i] : kInvalidStrideValue;
  }
  const std::int64_t& operator[](std::size_t i) const { return strides_[Within(i)]; }
  std::int64_t& operator[](std::size_t i) { return strides_[Within(i)]; }
  void SetStride(std::size_t i, std::int64_t stride) {
    if (i < kMaxDimNum) strides_[i] = stride;
  }
  Stride& AppendStride(std::int64_t stride) {
    if (count_ < kMaxDimNum) strides_[count_++] = stride;
    return *this;
  }

 private:
  static std::size_t Within(std::size_t i) { return i < kMaxDimNum ? i : kMaxDimNum - 1; }

  std::size_t count_ = 0;
  std::int64_t strides_[kMaxDimNum] = {};
};

}  // namespace gert
