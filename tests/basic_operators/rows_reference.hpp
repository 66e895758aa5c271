// Rows of a tensor for plain references: the elements along some dimensions.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test {

/// The elements along `dims`, for each place in the other dimensions.
inline std::vector<Numbers> rows_of(const Numbers& values, const Sizes& sizes,
                                    const std::vector<std::size_t>& dims) {
  const auto within = [&](std::size_t d) {
    return std::find(dims.begin(), dims.end(), d) != dims.end();
  };
  std::size_t rows = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (!within(d)) rows *= static_cast<std::size_t>(sizes[d]);
  }
  std::vector<Numbers> all(rows);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t rest = i, row = 0, step = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      const auto size = static_cast<std::size_t>(sizes[d]), at = rest % size;
      rest /= size;
      if (within(d)) continue;
      row += at * step;
      step *= size;
    }
    all[row].push_back(values[i]);
  }
  return all;
}

inline Numbers of_type(Numbers values, aclDataType type) {
  for (double& value : values) value = as_type(value, type);
  return values;
}

/// How far results that were rounded once may be from those in double.
inline double rounding_of(aclDataType type) {
  return type == ACL_FLOAT ? 2e-6 : type == ACL_FLOAT16 ? 1e-3 : 8e-3;
}

}  // namespace davsim::test
