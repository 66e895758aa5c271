// The inner loops of gathers on packed lanes, in versions for several host instruction sets; see
// vector_lanes.hpp. Elements have 2 or 4 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instr/params.hpp"

namespace davsim::isa {

/// The largest of some offsets, and the bits of all.
struct OffsetRange {
  std::uint32_t most = 0, bits = 0;
};

/// Where the DataBlocks of repeats lie; distances in bytes.
struct BlockRows {
  std::byte* start = nullptr;
  std::size_t block_pitch = 0, repeat_pitch = 0;
};

/// The functions of one host instruction set.
struct GatherTable {
  /// Of `n` offsets.
  OffsetRange (*range)(const std::uint32_t* offsets, std::size_t n) = nullptr;
  /// to[i] = the element at byte offsets[i] of the table. From byte 0 to the largest offset and
  /// four bytes from there on can be read.
  void (*elements_16)(const std::byte* table, const std::uint32_t* offsets, void* to,
                      std::size_t n) = nullptr;
  void (*elements_32)(const std::byte* table, const std::uint32_t* offsets, void* to,
                      std::size_t n) = nullptr;
  /// Repeats of eight DataBlocks at bytes offsets[i] of the table. `to` may lie on the table: all
  /// of a repeat are read before one is written. It does not lie on the offsets of later repeats.
  void (*blocks)(const std::byte* table, const std::uint32_t* offsets, const BlockRows& to,
                 std::size_t repeats) = nullptr;
  /// to[i] = element first + i * period of `from`; a period of 1, 2 or 4. `to` does not lie on
  /// `from`.
  void (*every_16)(const void* from, std::size_t period, std::size_t first, void* to,
                   std::size_t n) = nullptr;
  void (*every_32)(const void* from, std::size_t period, std::size_t first, void* to,
                   std::size_t n) = nullptr;
  /// The elements of one repeat, `n` of them, whose bits are set, one behind the other. There is
  /// room in `to`, which does not lie on `from`, and can be read from `from` a whole repeat, from
  /// `bits` a bit an element of it and eight bytes. Returns how many.
  std::size_t (*keep_16)(const void* from, const std::uint8_t* bits, void* to,
                         std::size_t n) = nullptr;
  std::size_t (*keep_32)(const void* from, const std::uint8_t* bits, void* to,
                         std::size_t n) = nullptr;
};

/// The table for the host's best instruction set, or for the one that a test asked for.
GatherTable make_gather_table();

/// That of this host.
const GatherTable& gather_table();

}  // namespace davsim::isa
