// Source and destination of one vector instruction on the same bytes: right where they are the
// same, wrong where they overlap in part.
#pragma once

#include <string>

#include "isa/exec/accesses.hpp"
#include "isa/instr/instr.hpp"

namespace davsim::checker {

/// What is wrong about it; empty if nothing is. `accesses` are those of `instr`.
///
/// Documented of vector instructions: within a repeat a source is the destination, byte for byte,
/// or apart from it; no repeat may read what a repeat before it has written. Add, Sub, Mul, Max,
/// Min, AddRelu and SubRelu of half, float and int32 may do so by their second source if it or the
/// destination stays where it is from repeat to repeat. Operands of different width are only held
/// to the second rule.
std::string operand_overlap(const isa::Instr& instr, const isa::AccessList& accesses);

}  // namespace davsim::checker
