// What the host tells the kernel that rearranges elements within UB. Both sides include this file.
#pragma once

#include <cstdint>

namespace davsim_basic {

inline constexpr std::uint32_t kRearrangeDims = 6;
/// Elements of a tile at most, and bytes of what it is made from.
inline constexpr std::uint32_t kRearrangeCount = 8192;
inline constexpr std::uint32_t kRearrangeSpan = 32 * 1024;

/// Tiles whose elements follow each other in the target, of some rows each. They come out of spans
/// of the source, and a table says where in UB each one lies then. Numbers in bytes.
struct RearrangeTiling {
  std::uint64_t tiles;
  std::uint64_t rows;      ///< of the loop that is cut into tiles
  std::int64_t from_step;  ///< between them
  std::int64_t from_offset, to_offset;
  std::uint32_t tile;     ///< rows of a tile; divides `rows` where from_step is negative
  std::uint32_t count;    ///< elements of a row
  std::uint32_t element;  ///< 2 or 4
  std::uint32_t span;     ///< that a row is made from
  std::uint32_t apart;    ///< 1: spans are loaded one by one, else what lies between them too
  std::uint32_t dims;     ///< of the loops around
  std::uint64_t size[kRearrangeDims];
  std::int64_t from_steps[kRearrangeDims], to_steps[kRearrangeDims];
  // The table follows: a uint32_t for each element of a tile.
};

}  // namespace davsim_basic
