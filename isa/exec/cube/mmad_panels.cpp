#include "isa/exec/cube/mmad_panels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "isa/exec/cube/mmad_convert.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

void round_panel(float* panel, std::size_t count, Hf32 hf32) {
  if (hf32 == Hf32::kOff) return;
  for (std::size_t i = 0; i < count; ++i) panel[i] = round_to_hf32(panel[i], hf32);
}

}  // namespace

float round_to_hf32(float value, Hf32 mode) {
  constexpr std::uint32_t kDropped = 12;
  constexpr std::uint32_t kHalf = 1u << (kDropped - 1);
  if (mode == Hf32::kOff || !std::isfinite(value)) return value;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t odd = (bits >> kDropped) & 1u;
  const std::uint32_t carry = mode == Hf32::kNearestEven ? kHalf - 1 + odd : kHalf;
  return std::bit_cast<float>((bits + carry) & ~((1u << kDropped) - 1));
}

namespace {

/// The size as a constant: a copy of a few registers. For a size that it does not know, g++ takes a
/// string move of the host, whose start costs more than the copy of a row.
template <std::size_t kColumns>
void copy_rows(float* to, std::size_t pitch, const float* fractal, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    std::memcpy(to + i * pitch, fractal + i * kColumns, kColumns * sizeof(float));
  }
}

/// Rows of a fractal of `c0` columns, of which `columns` are wanted, to rows `pitch` apart.
void copy_fractal(float* to, std::size_t pitch, const float* fractal, std::size_t c0,
                  std::size_t rows, std::size_t columns) {
  if (columns == c0) {  // all, of operands of 32, 16 or 8 bits
    if (c0 == 8) return copy_rows<8>(to, pitch, fractal, rows);
    if (c0 == 16) return copy_rows<16>(to, pitch, fractal, rows);
    if (c0 == 32) return copy_rows<32>(to, pitch, fractal, rows);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    std::memcpy(to + i * pitch, fractal + i * c0, columns * sizeof(float));
  }
}

}  // namespace

void unpack_a(float* panel, const std::byte* l0a, DType type, std::size_t m, std::size_t k,
              std::size_t fractals_per_row, Hf32 hf32) {
  const std::size_t c0 = c0_elements(type);
  float fractal[kFractalRows * kLargestC0];
  for (std::size_t row = 0; row < m; row += kFractalRows) {
    const std::byte* from = l0a + row / kFractalRows * fractals_per_row * kFractalBytes;
    const std::size_t rows = std::min<std::size_t>(kFractalRows, m - row);
    for (std::size_t col = 0; col < k; col += c0) {
      to_floats(fractal, from, type, rows * c0);
      copy_fractal(panel + row * k + col, k, fractal, c0, rows, std::min(c0, k - col));
      from += kFractalBytes;
    }
  }
  round_panel(panel, m * k, hf32);
}

void unpack_row(float* panel, const std::byte* l0a, DType type, std::size_t k, Hf32 hf32) {
  to_floats(panel, l0a, type, k);
  round_panel(panel, k, hf32);
}

void unpack_b(float* panel, const std::byte* l0b, DType type, std::size_t block, std::size_t n,
              std::size_t k, std::size_t column_fractals, Hf32 hf32) {
  const std::size_t rows = ceil_align(k, c0_elements(type));
  to_floats_transposed(panel, l0b + block * kFractalBytes, type, rows / c0_elements(type),
                       column_fractals * kFractalBytes);
  const std::size_t valid = std::min<std::size_t>(kFractalRows, n - block * kFractalRows);
  for (std::size_t row = 0; valid < kFractalRows && row < k; ++row) {
    std::fill(panel + row * kFractalRows + valid, panel + (row + 1) * kFractalRows, 0.0f);
  }
  round_panel(panel, k * kFractalRows, hf32);
}

}  // namespace davsim::isa
