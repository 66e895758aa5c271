// Operands, tilings and a device for tests of Matmul objects.
#pragma once

#include <cmath>
#include <cstring>
#include <type_traits>

#include "tests/checker/checker_fixture.hpp"
#include "tests/matmul/kernels/call.h"
#include "tests/matmul/test_matrix.hpp"
#include "tiling/tiling_api.h"

namespace davsim::test {

using Tiling = AscendC::tiling::TCubeTiling;
using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;

/// The quantisation word of a scale without an offset.
inline std::uint64_t word_of(float scale) {
  std::uint32_t bits;
  std::memcpy(&bits, &scale, sizeof bits);
  return (std::uint64_t{1} << 46) | bits;
}

class MatmulTest : public CheckerTest {
 protected:
  /// The matrix in global memory, transposed and in fractals of `c0` columns (0: row-major).
  template <class T>
  T* stored(const TestMatrix& matrix, bool transposed, std::uint32_t c0) {
    const std::uint32_t rows = transposed ? matrix.cols : matrix.rows;
    const std::uint32_t cols = transposed ? matrix.rows : matrix.cols;
    const std::uint32_t high = c0 != 0 ? (rows + 15) / 16 * 16 : rows;
    const std::uint32_t wide = c0 != 0 ? (cols + c0 - 1) / c0 * c0 : cols;
    T* data = global<T>(std::size_t{high} * wide, "matrix", [](std::size_t) { return T(0); });
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t col = 0; col < cols; ++col) {
        const int value = transposed ? matrix.at(col, row) : matrix.at(row, col);
        const std::size_t at = c0 != 0 ? std::size_t{col / c0} * high * c0 + row * c0 + col % c0
                                       : std::size_t{row} * cols + col;
        data[at] = T(static_cast<float>(value));
      }
    }
    return data;
  }
  /// Two numbers of four bits a byte.
  std::uint8_t* stored_int4(const TestMatrix& matrix, bool transposed) {
    const std::uint32_t rows = transposed ? matrix.cols : matrix.rows;
    const std::uint32_t cols = transposed ? matrix.rows : matrix.cols;
    auto* data =
        global<std::uint8_t>(std::size_t{rows} * cols / 2, "matrix", [](std::size_t) { return 0; });
    for (std::size_t i = 0; i < std::size_t{rows} * cols; ++i) {
      const int value = transposed ? matrix.at(i % cols, i / cols) : matrix.at(i / cols, i % cols);
      data[i / 2] = static_cast<std::uint8_t>(data[i / 2] | (value & 15) << (i % 2 * 4));
    }
    return data;
  }

  template <class T>
  static std::uint8_t* bytes(T* data) {
    return reinterpret_cast<std::uint8_t*>(data);
  }

  /// A tiling of one core or of several, after `set` has set what is particular.
  template <class Set>
  static Tiling tiling(DataType type, std::uint32_t m, std::uint32_t n, std::uint32_t k, Set set) {
    matmul_tiling::MultiCoreMatmulTiling api;
    api.SetAType(matmul_tiling::TPosition::GM, CubeFormat::ND, type, false);
    api.SetBType(matmul_tiling::TPosition::GM, CubeFormat::ND, type, false);
    api.SetDim(1);
    api.SetShape(static_cast<int>(m), static_cast<int>(n), static_cast<int>(k));
    set(api);
    Tiling t;
    EXPECT_EQ(api.GetTiling(t), 0);
    return t;
  }

  void expect_clean() {
    EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
    checker_.forget_findings();
  }
};

}  // namespace davsim::test
