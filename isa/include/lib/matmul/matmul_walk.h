// The base blocks of one product, in the order in which Iterate computes them, and the sizes that
// the calls of an object set.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "lib/matmul/matmul_types.h"

namespace davsim::api {

/// What is multiplied: one core's part, and the matrices that it lies in.
struct MatmulShape {
  std::uint32_t m = 0, n = 0, k = 0;                                       ///< the part
  std::uint32_t org_m = 0, org_n = 0, org_ka = 0, org_kb = 0, org_kc = 0;  ///< the matrices
};

/// A base block by its place in the grid of base blocks.
struct MatmulBlock {
  std::uint32_t m = 0, n = 0;
};

class MatmulWalk {
 public:
  MatmulWalk() = default;
  /// Groups of `step_m` x `step_n` blocks; in a group and among groups M advances first, or N.
  MatmulWalk(std::uint32_t rows, std::uint32_t cols, std::uint32_t step_m, std::uint32_t step_n,
             bool n_first, MatmulTriangle triangle = MatmulTriangle::kNone)
      : rows_(rows), cols_(cols), step_m_(step_m), step_n_(step_n), n_first_(n_first) {
    if (triangle == MatmulTriangle::kNone) return;
    auto kept = std::make_shared<std::vector<MatmulBlock>>();
    for (std::uint32_t index = 0; index < rows * cols; ++index) {
      const MatmulBlock block = of_all(index);
      const bool upper = triangle == MatmulTriangle::kUpper;
      if (upper ? block.m <= block.n : block.m >= block.n) kept->push_back(block);
    }
    kept_ = std::move(kept);
  }

  std::uint32_t count() const {
    return kept_ ? static_cast<std::uint32_t>(kept_->size()) : rows_ * cols_;
  }
  MatmulBlock at(std::uint32_t index) const { return kept_ ? (*kept_)[index] : of_all(index); }

 private:
  MatmulBlock of_all(std::uint32_t index) const {
    if (n_first_) {
      const Pair pair = walk(index, cols_, rows_, step_n_, step_m_);
      return {pair.slow, pair.fast};
    }
    const Pair pair = walk(index, rows_, cols_, step_m_, step_n_);
    return {pair.fast, pair.slow};
  }
  struct Pair {
    std::uint32_t fast, slow;
  };
  static Pair walk(std::uint32_t index, std::uint32_t fast, std::uint32_t slow,
                   std::uint32_t step_fast, std::uint32_t step_slow) {
    const std::uint32_t slow_group = index / (step_slow * fast);
    index -= slow_group * step_slow * fast;
    const std::uint32_t width = std::min(step_slow, slow - slow_group * step_slow);
    const std::uint32_t fast_group = index / (step_fast * width);
    index -= fast_group * step_fast * width;
    const std::uint32_t height = std::min(step_fast, fast - fast_group * step_fast);
    return {fast_group * step_fast + index % height, slow_group * step_slow + index / height};
  }

  std::uint32_t rows_ = 0, cols_ = 0, step_m_ = 1, step_n_ = 1;
  bool n_first_ = false;
  std::shared_ptr<const std::vector<MatmulBlock>> kept_;  ///< of a triangle
};

}  // namespace davsim::api
