// The limits that all vector instructions have in common: repeats, strides, alignment, operands
// inside UB.
#pragma once

#include <string>

#include "isa/core/core_memory.hpp"
#include "isa/exec/vector/vector_shape.hpp"

namespace davsim::isa {

/// Refuses a vector instruction: "VADD: repeats is 300, allowed are 0 to 255".
[[noreturn]] void refuse_vector(const Instr& instr, FaultClass cls, const std::string& what);

/// The parameters of a record, which must be VectorParams.
const VectorParams& vector_params(const Instr& instr);

/// The shape of a record whose types exist, all limits checked.
VectorShape checked_vector_shape(const Instr& instr, const CoreMemory& memory);

}  // namespace davsim::isa
