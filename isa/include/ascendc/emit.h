// Hands the instruction records of API calls to the core on which the kernel runs.
#pragma once

#include <string>

#include "ascendc/tensor.h"
#include "isa/core/core_sink.hpp"
#include "isa/instr/source_location.hpp"

namespace davsim::api {

using Location = isa::SourceLocation;

/// The parameters of an instruction that has none.
struct NoParams {};

/// Hands an instruction record to the core whose kernel runs. `Parameters` is one of those in
/// isa/instr/params.hpp. Records are made in isa/api/emit.cpp, so that kernels need not be compiled
/// with all that a record can hold.
template <class Parameters>
void emit(isa::Opcode op, isa::Pipe pipe, const isa::Operand& dst, const isa::Operand& src0,
          const isa::Operand& src1, const Parameters& params, Location where);
void emit(isa::Opcode op, isa::Pipe pipe, const isa::Operand& dst, const isa::Operand& src0,
          const isa::Operand& src1, NoParams params, Location where);

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

/// Throws the fault that is being handled again, under the name of the call that `name` is.
[[noreturn]] void rethrow_as(std::string_view name);

/// Makes a call by another name, which a refusal of its parameters then bears: an intrinsic's.
template <class Call>
void call_as(std::string_view name, Call call) {
  try {
    call();
  } catch (const isa::Fault&) {
    rethrow_as(name);
  }
}

}  // namespace davsim::api
