// Matrices whose products are exact in float, whatever the order of their sums: multiples of 1/8.
#pragma once

#include "examples/common/example.hpp"

namespace example {

/// C[m, n] = A[m, k] x B[k, n].
struct Matrices {
  std::span<half> a, b;
  std::span<float> c;
  std::uint32_t m, n, k;

  /// Element of the product.
  float expected(std::size_t row, std::size_t col) const {
    float sum = 0;
    for (std::size_t i = 0; i < k; ++i) sum += float(a[row * k + i]) * float(b[i * n + col]);
    return sum;
  }
};

inline Matrices matrices(Device& device, std::uint32_t m, std::uint32_t n, std::uint32_t k) {
  const auto value = [](std::size_t i, std::size_t range) {
    return (static_cast<float>(i * 37 % range) - static_cast<float>(range / 2)) / 8;
  };
  return {tensor<half>(device, std::size_t{m} * k, "a", [&](auto i) { return value(i, 17); }),
          tensor<half>(device, std::size_t{k} * n, "b", [&](auto i) { return value(i, 13); }),
          tensor<float>(device, std::size_t{m} * n, "c", [](auto) { return -1; }),
          m,
          n,
          k};
}

}  // namespace example
