// How API calls hand their instruction records to the core they run on.
#pragma once

#include <string>

#include "ascendc/tensor.h"
#include "isa/core/core_sink.hpp"
#include "isa/core/source_location.hpp"

namespace davsim::api {

using Location = isa::SourceLocation;

inline void emit(isa::Opcode op, isa::Pipe pipe, const isa::Operand& dst, const isa::Operand& src0,
                 const isa::Operand& src1, const isa::Params& params, Location where) {
  isa::current_core().emit(isa::Instr{op, pipe, dst, src0, src1, params, where});
}

inline isa::Registers& registers() {
  return isa::current_core().registers();
}

/// Refuses a parameter: "Add: repeatTime is 300, allowed are 0 to 255".
[[noreturn]] void refuse(std::string_view call, std::string_view parameter, std::int64_t value,
                         std::string_view allowed, Location where);

inline void require_range(std::string_view call, std::string_view parameter, std::int64_t value,
                          std::int64_t low, std::int64_t high, Location where) {
  if (value < low || value > high) {
    refuse(call, parameter, value, std::to_string(low) + " to " + std::to_string(high), where);
  }
}

}  // namespace davsim::api
