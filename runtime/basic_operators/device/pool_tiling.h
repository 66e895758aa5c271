// What the host tells the kernel of pooling. Both sides include this file.
#pragma once

#include <cstdint>

namespace davsim_basic {

enum class PoolElement : std::uint32_t { kFloat, kHalf, kBfloat };

/// Planes behind each other. Numbers in elements.
struct PoolTiling {
  std::uint64_t tiles;
  std::uint64_t planes;
  std::uint32_t height, width;          ///< of what comes in
  std::uint32_t out_height, out_width;  ///< of what goes out
  std::uint32_t window, columns;        ///< rows and columns of the window
  std::uint32_t step, dilation;         ///< of rows
  std::uint32_t before, behind;         ///< rows of padding
  std::uint32_t rows;                   ///< of what goes out in a tile
  std::uint32_t in_rows;                ///< that these are made from at most
  std::uint32_t pitch, out_pitch;       ///< of rows in UB, whole DataBlocks of all types
  PoolElement element;
  std::uint32_t greatest;        ///< 1: the greatest element, else the mean
  std::uint32_t counts_padding;  ///< 1: rows of padding count for the mean
  std::uint32_t counts_rows;     ///< 0: the mean is by what the columns count alone
  // What follows has out_pitch elements of 4 bytes each: for each column of the window, where the
  // elements lie in a row; then by what the columns count, as float.
};

}  // namespace davsim_basic
