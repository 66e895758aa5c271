// What the host tells the kernel that gathers elements of rows. Both sides include this file.
#pragma once

#include <cstdint>

namespace davsim_basic {

/// UB of a row that elements are gathered from, and places that are gathered at a time.
inline constexpr std::uint32_t kGatherRow = 128 * 1024;
inline constexpr std::uint32_t kGatherTile = 1024;

struct GatherElementsTiling {
  std::uint64_t tiles;
  std::uint64_t share;    ///< tiles of a core, one after the other
  std::uint64_t places;   ///< of a row
  std::uint32_t width;    ///< elements of a row; places less than 0 count from its end
  std::uint32_t element;  ///< 2 or 4
  std::uint32_t wide;     ///< 1: places are int64, else int32
  std::uint32_t shared;   ///< 1: all rows have the same places
};

}  // namespace davsim_basic
