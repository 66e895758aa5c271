// Bank conflicts in UB. Neighbouring DataBlocks (32 bytes) are in neighbouring bank groups. A group
// fills one of its banks before the next. With 16 groups and banks of 4 KiB, an address is
// BANK[17:16] DEPTH[15:9] GROUP[8:5] BYTE[4:0]. In one beat a bank group reads one block and writes
// one block. A bank does one of the two. The result of a repeat is written while the next repeat is
// read.
#pragma once

#include <cstdint>

#include "isa/instr/vector_shape.hpp"

namespace davsim::memory {

/// The SoC description refuses a larger number.
inline constexpr std::uint32_t kMostUbBankGroups = 64;

struct UbBankTiming {
  std::uint32_t groups = 16;  ///< at most kMostUbBankGroups
  std::uint32_t bank_bytes = 4096;
  double read_write_conflict = 0;  ///< stall cycles of a repeat that reads a bank that is written

  bool operator==(const UbBankTiming&) const = default;
};

/// The stall cycles of an instruction by bank conflicts. `beat` is the cycles of one repeat without
/// conflicts.
double ub_conflict_cycles(const isa::VectorShape& shape, double beat, const UbBankTiming& timing);

/// The stall cycles of a transposition. Each of its repeats reads and writes sixteen blocks in two
/// beats.
double ub_transpose_conflict_cycles(const isa::TransposeParams& params, std::uint32_t groups);

}  // namespace davsim::memory
