// Results outside the range of their type, which saturate or wrap around.
#pragma once

#include <cstdint>

#include "isa/exec/accesses.hpp"

namespace davsim::checker {

/// The number of results of `instr` outside the range of their type. Must be called before `instr`
/// takes effect, with its accesses. Memory is not changed. Covers conversions to integers (Cast,
/// AddReluCast and its like, CastDequant, Fixpipe with one scale or one a column), arithmetic of
/// the vector unit on integers, on half and bfloat16 where CTRL makes results finite, sums of Mmad,
/// and atomic additions of integers.
std::uint64_t saturated(const isa::DecodedInstr& instr, const isa::CoreMemory& memory,
                        const isa::AccessList& accesses);

}  // namespace davsim::checker
