// Bank conflicts in UB. Blocks of 32 bytes go to the bank groups in turn, and a group fills one of
// its banks before the next: with 16 groups and banks of 4 KiB an address is BANK[17:16]
// DEPTH[15:9] GROUP[8:5] BYTE[4:0]. In one beat a bank group gives one block and takes one; a bank
// does one of the two. The result of a repeat is written while the next repeat is read.
#pragma once

#include <cstdint>

#include "isa/exec/vector/vector_shape.hpp"

namespace davsim::memory {

/// More are refused by the SoC description.
inline constexpr std::uint32_t kMostUbBankGroups = 64;

struct UbBankTiming {
  std::uint32_t groups = 16;  ///< at most kMostUbBankGroups
  std::uint32_t bank_bytes = 4096;
  double read_write_conflict = 0;  ///< cycles a repeat loses when it reads a bank that is written
};

/// Extra cycles of an instruction because of bank conflicts; `beat` is what one repeat takes
/// without any.
double ub_conflict_cycles(const isa::VectorShape& shape, double beat, const UbBankTiming& timing);

/// The same of a transposition, whose repeats read and write sixteen blocks in two beats.
double ub_transpose_conflict_cycles(const isa::TransposeParams& params, std::uint32_t groups);

}  // namespace davsim::memory
