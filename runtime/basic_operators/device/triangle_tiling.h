// What the host tells the kernel of triangles. Both sides include this file.
#pragma once

#include <cstdint>

namespace davsim_basic {

/// UB of a buffer of rows, of which there are two, and of zeros.
inline constexpr std::uint32_t kTriangleTile = 64 * 1024;
inline constexpr std::uint32_t kTriangleZeros = kTriangleTile / 2;

/// Matrices behind each other, whose elements below or above a diagonal are kept.
struct TriangleTiling {
  std::uint64_t tiles;
  std::uint64_t matrices, rows;
  std::uint64_t columns;  ///< bytes
  std::int64_t diagonal;  ///< element of the first row that is on it
  std::uint32_t element;  ///< bytes
  std::uint32_t upper;    ///< 1: what is above it is kept, else what is below; both with it
  std::uint32_t tile;     ///< rows
  std::uint32_t piece;    ///< of a row, in bytes
};

}  // namespace davsim_basic
