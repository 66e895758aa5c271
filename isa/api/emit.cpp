// Faults of API calls, and the way of their instruction records to the running core.
#include "ascendc/emit.h"

#include <utility>

#include "isa/api/message_text.hpp"
#include "isa/core/kernel_frame.hpp"
#include "isa/core/running_kernel.hpp"
#include "isa/instr/fault.hpp"
#include "isa/instr/instr.hpp"

namespace davsim::api {

void fail(isa::FaultClass cls, std::string_view call, isa::Message what, Location where) {
  isa::Fault fault(cls, message_text({call, ": "}) + message_text(what), where);
  fault.instruction = call;
  isa::stop_kernel(std::move(fault));
}

void refuse(std::string_view call, std::string_view parameter, std::int64_t value,
            isa::Message allowed, Location where) {
  const std::string text = message_text(allowed);
  fail(isa::FaultClass::kParameter, call, {parameter, " is ", value, ", allowed are ", text},
       where);
}

void rethrow_as(std::string_view name) {
  try {
    throw;
  } catch (isa::Fault& fault) {
    const std::string prefix = fault.instruction + ": ";
    // Faults of the instruction itself know their pipe.
    if (!fault.pipe.empty() || !fault.message.starts_with(prefix)) throw;
    isa::Fault renamed(fault.cls, std::string(name) + ": " + fault.message.substr(prefix.size()),
                       fault.where);
    renamed.instruction = name;
    isa::stop_kernel(std::move(renamed));
  }
}

namespace {

/// Notes the call. Its line is copied field by field: the caller has just written the fields, and a
/// host stalls when it reads two words that were written apart as one.
void note_call(const Location& where) {
  isa::g_running_kernel.call = Location::current(where.file_name(), where.line());
}

}  // namespace

template <class Parameters>
void emit(isa::Opcode op, isa::Pipe pipe, const isa::Operand& dst, const isa::Operand& src0,
          const isa::Operand& src1, const Parameters& params, Location where) {
  note_call(where);
  isa::current_core().emit(isa::Instr{op, pipe, dst, src0, src1, params, where});
}

void emit(isa::Opcode op, isa::Pipe pipe, const isa::Operand& dst, const isa::Operand& src0,
          const isa::Operand& src1, NoParams, Location where) {
  note_call(where);
  isa::current_core().emit(isa::Instr{op, pipe, dst, src0, src1, {}, where});
}

#define DAVSIM_EMITS(Parameters)                                                       \
  template void emit(isa::Opcode, isa::Pipe, const isa::Operand&, const isa::Operand&, \
                     const isa::Operand&, const isa::Parameters&, Location);
DAVSIM_EMITS(VectorParams)
DAVSIM_EMITS(TransposeParams)
DAVSIM_EMITS(SortParams)
DAVSIM_EMITS(MoveParams)
DAVSIM_EMITS(Nd2NzMoveParams)
DAVSIM_EMITS(Load2dParams)
DAVSIM_EMITS(Load3dParams)
DAVSIM_EMITS(MmadInstrParams)
DAVSIM_EMITS(FixpipeInstrParams)
DAVSIM_EMITS(FlagParams)
DAVSIM_EMITS(CrossCoreFlagParams)
DAVSIM_EMITS(ScalarParams)
DAVSIM_EMITS(PreloadParams)
#undef DAVSIM_EMITS

}  // namespace davsim::api
