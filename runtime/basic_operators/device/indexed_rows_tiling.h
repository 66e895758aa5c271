// What the host tells the kernel that moves rows by their numbers. Both sides include this file.
#pragma once

#include <cstdint>

namespace davsim_basic {

/// UB of a buffer of rows and of one of numbers; there are two of each.
inline constexpr std::uint32_t kIndexedTile = 64 * 1024;
inline constexpr std::uint32_t kIndexedNumbers = 2048;

/// What rows are added as.
enum class AddedAs : std::uint32_t { kNothing, kFloat, kHalf, kBfloat, kInt32 };

/// Row i of a list and row number[i] of a table, for several lists and tables. Steps in bytes.
struct IndexedRowsTiling {
  std::uint64_t tiles;
  std::uint64_t lists;
  std::uint64_t numbers;  ///< rows of a list
  std::uint64_t rows;  ///< of a table; numbers less than 0 count from its end unless they name none
  std::uint64_t run;   ///< bytes of a row
  std::uint64_t table_step;
  std::uint32_t wide;      ///< 1: numbers are int64, else int32
  std::uint32_t scatters;  ///< 1: from the list into the table
  std::uint32_t skips;     ///< 1: numbers less than 0 name no row: zeros of a list, none of a table
  AddedAs adds;            ///< rows are added to those of the table
  std::uint32_t tile;      ///< rows
  std::uint32_t piece;     ///< of a row, in bytes
};

}  // namespace davsim_basic
