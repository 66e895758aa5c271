#include "tests/matmul/test_matrix.hpp"

#include <cstddef>

namespace davsim::test {

TestMatrix test_matrix(std::uint32_t rows, std::uint32_t cols, std::uint32_t seed) {
  TestMatrix matrix{rows, cols, std::vector<int>(std::size_t{rows} * cols)};
  std::uint32_t state = seed * 2654435761u + 1;
  for (int& value : matrix.values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<int>(state >> 28) % 7 - 3;
  }
  return matrix;
}

int product(const TestMatrix& a, const TestMatrix& b, std::uint32_t row, std::uint32_t col) {
  int sum = 0;
  for (std::uint32_t i = 0; i < a.cols; ++i) sum += a.at(row, i) * b.at(i, col);
  return sum;
}

}  // namespace davsim::test
