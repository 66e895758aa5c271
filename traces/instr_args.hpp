// The operands and parameters of an instruction as members of a JSON object: what a viewer shows
// when a slice is selected.
#pragma once

#include <cstdint>

#include "isa/instr/instr.hpp"
#include "traces/json_output.hpp"

namespace davsim::traces {

/// Addresses are written "UB+0x100"; in global memory relative to `gm_base`.
void write_operands(JsonOutput& out, const isa::Instr& instr, std::uint64_t gm_base);
/// Strides, masks, shapes, flags, and the bytes moved where the instruction moves any.
void write_params(JsonOutput& out, const isa::Instr& instr);
/// "code": "file:line" of the call in the kernel; nothing if that is not known.
void write_code(JsonOutput& out, const isa::SourceLocation& where);

}  // namespace davsim::traces
