// The inner part of a transposition, compiled for several host instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instr/params.hpp"

namespace davsim::isa {

/// Transposes tiles of sixteen rows. The rows and the results may be anywhere.
struct TransposeTiles {
  const std::byte* rows[kTransposeBlocks];
  std::byte* columns[kTransposeBlocks];       ///< DataBlocks of the columns, one behind the other
  std::size_t row_step = 0, column_step = 0;  ///< bytes from tile to tile
  std::uint32_t tiles = 0;
};

/// Transposes tile after tile; all of a tile is read before it is written. Rows have 32 bytes in
/// elements of `bytes` bytes, or 16 elements of one byte.
void transpose_tiles(const TransposeTiles& run, std::uint32_t bytes);

}  // namespace davsim::isa
