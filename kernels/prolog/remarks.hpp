// The warnings of a prolog about its tokens: tokens that no cache takes, rows that are all zeros.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/common/duplicate_rows.hpp"
#include "kernels/common/require.hpp"
#include "kernels/prolog/sizes.hpp"

namespace davsim::operators::prolog {

inline std::string counted(std::int64_t count, std::int64_t all, const std::string& what) {
  return std::to_string(count) + " of " + std::to_string(all) + " " + what;
}

/// Names the tokens that a negative index keeps out of the caches. If `thorough`, also names tokens
/// that are written to the same row.
inline std::vector<std::string> remarks_about(const Tensor& index, const std::string& name,
                                              bool thorough) {
  const auto* first = index.as<std::int64_t>();
  const std::vector<std::int64_t> rows(first, first + index.elements());
  const auto skipped =
      std::count_if(rows.begin(), rows.end(), [](std::int64_t row) { return row < 0; });
  std::vector<std::string> found;
  if (skipped > 0) {
    found.push_back(counted(skipped, index.elements(), "tokens are not written to the caches: ") +
                    "their " + name + " is negative");
  }
  if (!thorough) return found;
  for (std::string& pair : duplicate_rows(rows, "")) found.push_back(std::move(pair));
  return found;
}

/// Counts groups of `width` int8 values that are all 0 because the quantised values were. Their
/// scale is 0 and not infinite. Examines the cache rows in `index`, or the whole tensor if `index`
/// is nullptr.
inline void remark_zeros(std::vector<std::string>& found, const TensorMap& outputs,
                         const std::string& name, std::int64_t width, const Tensor* index) {
  const Tensor& tensor = outputs.at(name);
  const std::int64_t row_width = tensor.shape().back();
  const std::int64_t rows = index != nullptr ? index->elements() : tensor.elements() / row_width;
  std::int64_t groups = 0, zeros = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t row = index != nullptr ? index->as<std::int64_t>()[i] : i;
    if (row < 0) continue;
    for (std::int64_t column = 0; column < row_width; column += width) {
      const auto* values = tensor.as<std::int8_t>() + row * row_width + column;
      ++groups;
      zeros += std::all_of(values, values + width, [](std::int8_t x) { return x == 0; });
    }
  }
  if (zeros > 0) {
    found.push_back(counted(zeros, groups, "groups of ") + std::to_string(width) + " values of " +
                    name + " are all zeros: their scale is 0");
  }
}

}  // namespace davsim::operators::prolog
