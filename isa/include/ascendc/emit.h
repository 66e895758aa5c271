// Hands the instruction records of API calls to the core on which the kernel runs.
#pragma once

#include "ascendc/refuse.h"
#include "ascendc/tensor.h"
#include "isa/core/core_sink.hpp"
#include "isa/instr/source_location.hpp"

namespace davsim::api {

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

}  // namespace davsim::api
