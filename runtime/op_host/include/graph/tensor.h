// ge::Shape: sizes of a tensor, as functions that size buffers take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ge {

class Shape {
 public:
  Shape() = default;
  explicit Shape(std::vector<std::int64_t> dims) : dims_(std::move(dims)) {}

  std::size_t GetDimNum() const { return dims_.size(); }
  /// 0 for a dimension that there is not.
  std::int64_t GetDim(std::size_t i) const { return i < dims_.size() ? dims_[i] : 0; }
  void SetDim(std::size_t i, std::int64_t size) {
    if (i < dims_.size()) dims_[i] = size;
  }
  std::vector<std::int64_t> GetDims() const { return dims_; }
  /// Elements; 1 without dimensions.
  std::int64_t GetShapeSize() const {
    std::int64_t size = 1;
    for (const std::int64_t dim : dims_) size *= dim;
    return size;
  }

 private:
  std::vector<std::int64_t> dims_;
};

}  // namespace ge
