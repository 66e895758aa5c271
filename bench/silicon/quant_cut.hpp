// How DynamicQuant cuts a matrix into tiles of rows, by its published tiling.
#pragma once

#include <cstdint>

namespace davsim::silicon {

/// Rows that share instructions: as many as UB holds at a time, and as many cores as such tiles.
struct RowsTogether {
  std::uint32_t rows = 0;   ///< of a tile; 0 if rows of the width go through one by one
  std::uint32_t cores = 0;  ///< with work
  std::uint32_t least = 0;  ///< rows of a core
  std::uint32_t more = 0;   ///< how many cores have one row more, the first ones

  static RowsTogether of(std::uint32_t rows, std::uint32_t width, std::uint32_t cores);

  std::uint32_t rows_of(std::uint32_t core) const { return least + (core < more ? 1 : 0); }
  std::uint64_t first_of(std::uint32_t core) const {
    return std::uint64_t{core} * least + (core < more ? core : more);
  }
};

/// Rows that go through one by one.
struct RowsByOne {
  std::uint32_t rows = 0;     ///< of a tile; 0 if UB holds no whole row
  std::uint32_t buffers = 0;  ///< of the input
  std::uint32_t pitch = 0;    ///< elements from one row in UB to the next

  static RowsByOne of(std::uint32_t rows, std::uint32_t width, std::uint32_t cores);
};

}  // namespace davsim::silicon
