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

/// Makes a call by another name, which a refusal of its parameters then bears: an intrinsic's.
template <class Call>
void call_as(std::string_view name, Call call) {
  try {
    call();
  } catch (isa::Fault& fault) {
    const std::string prefix = fault.instruction + ": ";
    // Faults of the instruction itself know their pipe.
    if (!fault.pipe.empty() || !fault.message.starts_with(prefix)) throw;
    isa::Fault renamed(fault.cls, std::string(name) + ": " + fault.message.substr(prefix.size()),
                       fault.where);
    renamed.instruction = name;
    throw renamed;
  }
}

}  // namespace davsim::api
