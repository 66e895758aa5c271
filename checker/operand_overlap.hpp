// Operands of one instruction on the same bytes. Source and destination of a vector instruction:
// right where they are the same, wrong where they overlap in part. Runs of a result: always wrong.
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

/// Whether two runs of the access share bytes.
bool meets_itself(const isa::Access& access);

}  // namespace davsim::checker
