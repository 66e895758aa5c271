// What the host and kernels of rows say to each other. Both sides include this file.
#pragma once

#include <cstdint>

#include "pointwise_tiling.h"

namespace davsim_basic {

enum class Arithmetic : std::uint32_t { kAdd, kSub, kMul, kDiv, kMax, kMin };

/// Rows in UB are at most as many: their values have buffers of this size.
inline constexpr std::uint32_t kMostRows = 256;
/// Rows in UB begin at multiples of this many elements, which are whole DataBlocks of 16 bits and
/// more, or of 8 bits.
inline constexpr std::uint32_t kRowUnit = 16, kByteRowUnit = 32;

/// Rows of a tensor as cores walk through them: each core has a share of the rows, and takes as
/// many at a time as its tile has room for, or parts of one row.
struct RowShares {
  std::uint64_t rows;     ///< of all cores
  std::uint64_t share;    ///< rows of a core; the last core has what is left
  std::uint64_t length;   ///< elements of a row
  std::uint32_t tile;     ///< elements that are in UB at a time, a multiple of 64
  std::uint32_t unit;     ///< elements of which rows in UB are multiples
  std::uint32_t at_once;  ///< rows that are in UB at a time; 1 where a row is longer than the tile
};

}  // namespace davsim_basic
