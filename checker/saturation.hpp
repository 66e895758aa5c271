// Results that their type cannot hold: cut to its limits, or wrapped around.
#pragma once

#include <cstdint>

#include "isa/exec/accesses.hpp"

namespace davsim::checker {

/// How many results of `instr`, whose sources are in place and whose accesses are given, will be
/// beyond what their type holds. Leaves memory as it is. Covers conversions to integers (Cast,
/// AddReluCast and its like, CastDequant, Fixpipe with one scale or one a column), arithmetic of
/// the vector unit on integers, on half and bfloat16 where CTRL makes results finite, sums of Mmad,
/// and atomic additions of integers.
std::uint64_t saturated(const isa::Instr& instr, const isa::CoreMemory& memory,
                        const isa::AccessList& accesses);

}  // namespace davsim::checker
