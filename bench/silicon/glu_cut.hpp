// How SwiGlu cuts its rows into tiles, by its published tiling for 910B.
#pragma once

#include <cstdint>

namespace davsim::silicon {

/// Rows of two halves of `width` elements each.
struct GluRows {
  std::uint64_t rows, width;
  std::uint32_t bytes;  ///< of an element

  std::uint64_t block() const { return 32 / bytes; }
  /// Whether a copy counts in DataBlocks; otherwise in bytes.
  bool whole_blocks() const { return width % block() == 0; }
};

struct GluCut {
  std::uint64_t rows = 0, width = 0;  ///< of a tile
  std::uint32_t buffers = 2;          ///< of each queue
  std::uint64_t tiles = 0, cores = 0;

  static GluCut of(const GluRows& job, std::uint64_t cores);
};

}  // namespace davsim::silicon
