// Vector instructions: their limits and their meaning.
#include <string>

#include "isa/exec/exec_table.hpp"
#include "isa/exec/vector_check.hpp"
#include "isa/exec/vector_lanes.hpp"
#include "isa/exec/vector_walk.hpp"

namespace davsim::isa {
namespace {

[[noreturn]] void refuse_types(const Instr& instr) {
  const auto& params = std::get<VectorParams>(instr.params);
  std::string what = "there is no such instruction for " + std::string(dtype_name(instr.dst.type));
  if (vector_operands(instr.op).src0) what += " from " + std::string(dtype_name(instr.src0.type));
  if (vector_operands(instr.op).src1) what += " and " + std::string(dtype_name(instr.src1.type));
  if (instr.op == Opcode::kCast) what += " with " + std::string(round_mode_name(params.round));
  refuse_vector(instr, FaultClass::kParameter, what);
}

/// The lane function of a record, which exists if its types and rounding mode do.
LaneFn lanes_of(const Instr& instr) {
  const VectorParams& params = vector_params(instr);
  const bool sources_alike = !vector_operands(instr.op).src1 || instr.src0.type == instr.src1.type;
  const bool mode_known = static_cast<std::size_t>(params.round) < kRoundModes;
  const LaneFn lanes =
      sources_alike && mode_known
          ? lane_table().find(instr.op, instr.dst.type, instr.src0.type, params.round)
          : nullptr;
  if (lanes == nullptr) refuse_types(instr);
  return lanes;
}

void validate_vector(const Instr& instr, const CoreMemory& memory) {
  lanes_of(instr);
  checked_vector_shape(instr, memory);
}

void execute_vector(const Instr& instr, const CoreMemory& memory) {
  const LaneFn lanes = lanes_of(instr);
  const VectorShape shape = checked_vector_shape(instr, memory);
  run_vector({shape, lanes, vector_operands(instr.op).reads_dst,
              std::get<VectorParams>(instr.params).scalar, memory.at(Space::kUb, 0, 0)});
}

}  // namespace

void add_vector_rows(ExecTable& table) {
  constexpr Opcode kOpcodes[] = {
      Opcode::kAdd,  Opcode::kSub,  Opcode::kMul,  Opcode::kDiv,       Opcode::kMax,
      Opcode::kMin,  Opcode::kAnd,  Opcode::kOr,   Opcode::kMulAddDst, Opcode::kAdds,
      Opcode::kMuls, Opcode::kMaxs, Opcode::kMins, Opcode::kAxpy,      Opcode::kExp,
      Opcode::kLn,   Opcode::kAbs,  Opcode::kSqrt, Opcode::kRsqrt,     Opcode::kReciprocal,
      Opcode::kRelu, Opcode::kNot,  Opcode::kCast, Opcode::kDuplicate, Opcode::kCopyUbToUb};
  for (Opcode op : kOpcodes) table.set(op, {&validate_vector, &execute_vector});
}

}  // namespace davsim::isa
