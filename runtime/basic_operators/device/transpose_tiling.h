// What the host tells the kernel that transposes. Both sides include this file.
#pragma once

#include <cstdint>

namespace davsim_basic {

inline constexpr std::uint32_t kTransposeDims = 5;
/// UB of a buffer; there are two of what comes in and two of what goes out.
inline constexpr std::uint32_t kTransposeTile = 32 * 1024;

/// Matrices whose rows become columns, in a loop nest. Steps in bytes.
struct TransposeTiling {
  std::uint64_t tiles;
  std::uint64_t rows, columns;  ///< of what comes in; columns follow each other there
  std::int64_t from_step;       ///< between its rows
  std::int64_t to_step;         ///< between rows of what goes out
  std::int64_t from_offset, to_offset;
  std::uint32_t element;       ///< bytes: 1, 2 or 4
  std::uint32_t tile_rows;     ///< multiples of 16, of elements of 8 bits of 32
  std::uint32_t tile_columns;  ///< likewise
  std::uint32_t dims;          ///< of the loop nest
  std::uint64_t size[kTransposeDims];
  std::int64_t from_steps[kTransposeDims], to_steps[kTransposeDims];
};

}  // namespace davsim_basic
