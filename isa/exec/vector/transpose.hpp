// The number of elements that a transposition of sixteen DataBlocks moves.
#pragma once

#include <cstdint>

namespace davsim::isa {

struct Instr;

/// Elements of all DataBlocks that a record moves.
std::uint64_t transposed_elements(const Instr& instr);

}  // namespace davsim::isa
