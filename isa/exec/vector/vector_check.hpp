// The limits that all vector instructions have in common: repeats, strides, alignment, operands
// inside UB.
#pragma once

#include <string>

#include "isa/core/core_memory.hpp"
#include "isa/instr/decoded_instr.hpp"

namespace davsim::isa {

/// Refuses a vector instruction: "VADD: repeats is 300, allowed are 0 to 255".
[[noreturn]] void refuse_vector(const Instr& instr, FaultClass cls, const std::string& what);

/// The parameters of a record, which must be VectorParams.
const VectorParams& vector_params(const Instr& instr);

/// Computes the shape of a record whose types exist, and checks it against all limits.
void decode_shape(DecodedInstr& instr, const CoreMemory& memory);

}  // namespace davsim::isa
