// Rows of a softmax, and what they have each, in double precision.
#pragma once

#include <cmath>

#include "tests/library/library_run.hpp"

namespace davsim::test {

using AscendC::SoftMaxShapeInfo;

struct SoftmaxShape {
  std::uint32_t m, k, ori_k, rows_of_scratch;  ///< 0: no temporary buffer is handed over
  bool nz = false;
  SoftMaxShapeInfo info() const { return {m, k, m, ori_k}; }
};

inline constexpr double kInfinity = INFINITY;

/// What an element of a row is, and what a row has, in double precision.
struct Rows {
  explicit Rows(const SoftmaxShape& shape) : shape(shape) {}
  std::size_t index(std::uint32_t row, std::uint32_t column) const {
    return shape.nz ? (std::size_t{column} / 16 * shape.m + row) * 16 + column % 16
                    : std::size_t{row} * shape.k + column;
  }
  Values max(const Values& x) const {
    Values result(shape.m, -kInfinity);
    each([&](auto r, auto, auto i) { result[r] = std::max(result[r], x[i]); });
    return result;
  }
  Values sum(const Values& x) const {
    Values result(shape.m, 0.0);
    each([&](auto r, auto, auto i) { result[r] += x[i]; });
    return result;
  }
  template <class Function>
  Values map(const Values& x, Function function) const {
    Values result = x;
    each([&](auto r, auto, auto i) { result[i] = function(r, i); });
    return result;
  }
  template <class Visit>
  void each(Visit visit) const {
    for (std::uint32_t r = 0; r < shape.m; ++r) {
      for (std::uint32_t c = 0; c < shape.ori_k; ++c) visit(r, c, index(r, c));
    }
  }
  /// Every value `copies` times.
  static Values spread(const Values& values, std::size_t copies) {
    Values result;
    for (const double value : values) result.insert(result.end(), copies, value);
    return result;
  }
  SoftmaxShape shape;
};

}  // namespace davsim::test
