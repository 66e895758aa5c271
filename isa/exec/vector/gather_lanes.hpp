// The inner loops of gathers on packed lanes, in versions for several host instruction sets; see
// vector_lanes.hpp. Elements have 2 or 4 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instr/params.hpp"

namespace davsim::isa {

/// The largest of some offsets, and the bitwise OR of all.
struct OffsetRange {
  std::uint32_t most = 0, bits = 0;
};

/// The places of the DataBlocks of repeats. Distances are in bytes.
struct BlockRows {
  std::byte* start = nullptr;
  std::size_t block_pitch = 0, repeat_pitch = 0;
};

/// The functions of one host instruction set.
struct GatherTable {
  /// The range of `n` offsets.
  OffsetRange (*range)(const std::uint32_t* offsets, std::size_t n) = nullptr;
  /// to[i] = the element at byte offsets[i] of the table. All bytes up to four bytes behind the
  /// largest offset must be readable.
  void (*elements_16)(const std::byte* table, const std::uint32_t* offsets, void* to,
                      std::size_t n) = nullptr;
  void (*elements_32)(const std::byte* table, const std::uint32_t* offsets, void* to,
                      std::size_t n) = nullptr;
  /// Gathers repeats of eight DataBlocks at bytes offsets[i] of the table. `to` may overlap the
  /// table, because a repeat is read before it is written. `to` must not overlap offsets of later
  /// repeats.
  void (*blocks)(const std::byte* table, const std::uint32_t* offsets, const BlockRows& to,
                 std::size_t repeats) = nullptr;
  /// to[i] = element first + i * period of `from`. The period is 1, 2 or 4. `to` must not overlap
  /// `from`.
  void (*every_16)(const void* from, std::size_t period, std::size_t first, void* to,
                   std::size_t n) = nullptr;
  void (*every_32)(const void* from, std::size_t period, std::size_t first, void* to,
                   std::size_t n) = nullptr;
  /// Copies those of the `n` elements of one repeat whose bits are set, without gaps, and returns
  /// their number. `to` has room for a repeat and must not overlap `from`. A whole repeat of `from`
  /// and eight bytes behind its bits in `bits` must be readable.
  std::size_t (*keep_16)(const void* from, const std::uint8_t* bits, void* to,
                         std::size_t n) = nullptr;
  std::size_t (*keep_32)(const void* from, const std::uint8_t* bits, void* to,
                         std::size_t n) = nullptr;
};

/// The table for the host's best instruction set, or for the one that a test asked for.
GatherTable make_gather_table();

/// The table of this host.
const GatherTable& gather_table();

}  // namespace davsim::isa
