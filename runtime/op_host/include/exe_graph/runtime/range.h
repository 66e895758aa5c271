// From one thing to another: the least and the greatest shape that a tensor can have, and the like.
#pragma once

#include "exe_graph/runtime/shape.h"

namespace gert {

/// The bounds belong to the caller.
template <class T>
class Range {
 public:
  Range() = default;
  Range(T* min, T* max) : min_(min), max_(max) {}
  explicit Range(T* both) : Range(both, both) {}

  /// The same bounds, or bounds of the same values.
  bool operator==(const Range& other) const {
    return Same(min_, other.min_) && Same(max_, other.max_);
  }

  const T* GetMin() const { return min_; }
  const T* GetMax() const { return max_; }
  T* GetMin() { return min_; }
  T* GetMax() { return max_; }
  void SetMin(T* min) { min_ = min; }
  void SetMax(T* max) { max_ = max; }

 private:
  static bool Same(const T* a, const T* b) {
    return a == b || (a != nullptr && b != nullptr && *a == *b);
  }

  T* min_ = nullptr;
  T* max_ = nullptr;
};

}  // namespace gert
