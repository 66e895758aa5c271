// What gert::Shape and gert::Stride are: a number for each dimension of a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace gert {

/// At most kMaxDimNum numbers, of which some count. There is room for all of them: one that does
/// not count can be set and read, and is 0 until then. Those beyond kMaxDimNum are ignored when
/// they are set, and read as kInvalid.
class DimList {
 public:
  static constexpr std::size_t kMaxDimNum = 25;

  std::size_t GetDimNum() const { return count_; }
  void SetDimNum(std::size_t count) { count_ = count < kMaxDimNum ? count : kMaxDimNum; }
  const std::int64_t& operator[](std::size_t i) const { return values_[Within(i)]; }
  std::int64_t& operator[](std::size_t i) { return values_[Within(i)]; }

 protected:
  static constexpr std::int64_t kInvalid = std::numeric_limits<std::int64_t>::min();

  DimList() = default;
  /// A list that is too long makes an empty one.
  DimList(std::initializer_list<std::int64_t> values) {
    if (values.size() > kMaxDimNum) return;
    for (const std::int64_t value : values) Append(value);
  }

  bool IsEqual(const DimList& other) const {
    if (count_ != other.count_) return false;
    for (std::size_t i = 0; i < count_; ++i) {
      if (values_[i] != other.values_[i]) return false;
    }
    return true;
  }
  std::int64_t Get(std::size_t i) const { return i < kMaxDimNum ? values_[i] : kInvalid; }
  void Set(std::size_t i, std::int64_t value) {
    if (i < kMaxDimNum) values_[i] = value;
  }
  void Append(std::int64_t value) {
    if (count_ < kMaxDimNum) values_[count_++] = value;
  }

 private:
  // An index beyond all leads to the last dimension, because a reference needs a place.
  static std::size_t Within(std::size_t i) { return i < kMaxDimNum ? i : kMaxDimNum - 1; }

  std::size_t count_ = 0;
  std::int64_t values_[kMaxDimNum] = {};
};

}  // namespace gert
