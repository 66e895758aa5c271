// The operands and parameters of an instruction as members of a JSON object behind others: what a
// viewer shows when a slice is selected.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instr/instr.hpp"
#include "traces/output/json_text.hpp"

namespace davsim::traces {

/// What operands and parameters of one instruction take at most, in bytes.
inline constexpr std::size_t kMostInstrArgs = 1024;

/// Addresses are written "UB+0x100"; in global memory relative to `gm_base`.
JsonText write_operands(JsonText out, const isa::Instr& instr, std::uint64_t gm_base);
/// Strides, masks, shapes, flags, and the bytes moved where the instruction moves any.
JsonText write_params(JsonText out, const isa::Instr& instr);

}  // namespace davsim::traces
