// Fractal layouts of the cube's memories.
//
// A fractal is 512 bytes: 16 rows of one DataBlock, so 16 x C0 elements with C0 = 32 bytes of
// elements (16 of 16 bits, 32 of 8 bits, 8 of 32 bits). The big letter of a layout's name says how
// fractals follow each other, the small one how elements do inside a fractal: Z and z by rows, N
// and n by columns.
//
//   L1, GM: Nz   columns of fractals, each row-major 16 x C0
//   L0A:    Zz   rows of fractals, each row-major 16 x C0; A[m, k]
//   L0B:    Zn   rows of fractals, each column-major C0 x 16; B[k, n]
//   L0C:    Nz   columns of fractals of 16 x 16 elements of 32 bits (1024 bytes); C[m, n]
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/numeric/dtype.hpp"

namespace davsim::isa {

inline constexpr std::uint32_t kFractalBytes = 512;
inline constexpr std::uint32_t kFractalRows = 16;
/// A fractal of L0C: 16 x 16 elements of 32 bits.
inline constexpr std::uint32_t kResultFractalBytes = 1024;

/// Elements of one row of a fractal: 32 bytes of them.
constexpr std::uint32_t c0_elements(DType type) {
  return static_cast<std::uint32_t>(32 * 8 / dtype_bits(type));
}

/// C0 of int4.
inline constexpr std::uint32_t kLargestC0 = 64;

/// Fractals that make up the square which LoadDataWithTranspose turns: 16 x 16 elements of 16 bits
/// are one, of 32 bits two side by side; 32 x 32 of 8 bits two and 64 x 64 of 4 bits four, one
/// above the other.
constexpr std::uint32_t fractals_per_square(DType type) {
  const std::size_t bits = dtype_bits(type);
  return bits == 16 ? 1 : bits == 4 ? 4 : 2;
}

constexpr std::uint64_t ceil_div(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit;
}
constexpr std::uint64_t ceil_align(std::uint64_t value, std::uint64_t unit) {
  return ceil_div(value, unit) * unit;
}

/// Columns of one fractal of a result that Fixpipe lays out in Nz: 32 of 8 bits, 16 of 16 and 32
/// bits; 8 of float split into channels.
constexpr std::uint32_t fixpipe_c0(DType type, bool channel_split) {
  if (channel_split) return 8;
  return dtype_bytes(type) == 1 ? 32 : 16;
}

/// Element offset of (row, col) in Nz; `rows` is the padded number of rows of a column.
constexpr std::uint64_t nz_offset(std::uint64_t row, std::uint64_t col, std::uint64_t rows,
                                  std::uint64_t c0) {
  return col / c0 * rows * c0 + row * c0 + col % c0;
}

/// Element offset of (row, col) in Zz; `cols` is the padded number of columns.
constexpr std::uint64_t zz_offset(std::uint64_t row, std::uint64_t col, std::uint64_t cols,
                                  std::uint64_t c0) {
  return row / kFractalRows * kFractalRows * cols + col / c0 * kFractalRows * c0 +
         row % kFractalRows * c0 + col % c0;
}

/// Element offset of (row, col) in Zn; `cols` is the padded number of columns.
constexpr std::uint64_t zn_offset(std::uint64_t row, std::uint64_t col, std::uint64_t cols,
                                  std::uint64_t c0) {
  return row / c0 * c0 * cols + col / kFractalRows * kFractalRows * c0 + col % kFractalRows * c0 +
         row % c0;
}

}  // namespace davsim::isa
