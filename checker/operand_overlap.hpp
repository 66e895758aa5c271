// Operands of one instruction that share bytes. Source and destination of a vector instruction may
// be the same, but must not overlap in part. Runs of a result must not overlap at all.
#pragma once

#include <string>

#include "isa/exec/access.hpp"
#include "isa/instr/decoded_instr.hpp"

namespace davsim::checker {

/// The broken rule in words, or empty. `accesses` are those of `instr`.
///
/// The rules are those of the documentation of vector instructions. In a repeat, a source is the
/// same as the destination, byte for byte, or disjoint from it. A repeat must not read what an
/// earlier repeat has written. Add, Sub, Mul, Max, Min, AddRelu and SubRelu of half, float and
/// int32 may do so through their second source if this source or the destination has a repeat
/// stride of 0. Operands of different width must only obey the second rule.
std::string operand_overlap(const isa::DecodedInstr& instr, const isa::AccessList& accesses);

/// Whether two runs of the access share bytes.
bool meets_itself(const isa::Access& access);

}  // namespace davsim::checker
