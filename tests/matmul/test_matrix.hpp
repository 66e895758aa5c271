// Matrices for Matmul objects, and their product by a plain loop.
#pragma once

#include <cstdint>
#include <vector>

namespace davsim::test {

/// A matrix of small whole numbers, whose products are exact whatever the order of their sums.
struct TestMatrix {
  std::uint32_t rows, cols;
  std::vector<int> values;
  int at(std::uint32_t row, std::uint32_t col) const { return values[row * cols + col]; }
};

/// Numbers from -3 to 3, the same for the same seed.
TestMatrix test_matrix(std::uint32_t rows, std::uint32_t cols, std::uint32_t seed);

/// An element of the product of two matrices.
int product(const TestMatrix& a, const TestMatrix& b, std::uint32_t row, std::uint32_t col);

}  // namespace davsim::test
