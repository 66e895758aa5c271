// Vector instructions: their limits and their meaning.
#include <string>

#include "isa/exec/exec_table.hpp"
#include "isa/exec/vector_lanes.hpp"
#include "isa/exec/vector_shape.hpp"
#include "isa/exec/vector_walk.hpp"

namespace davsim::isa {
namespace {

constexpr std::uint32_t kMaxRepeats = 255;

[[noreturn]] void refuse(const Instr& instr, FaultClass cls, const std::string& what) {
  const std::string mnemonic(instr.opcode_info().mnemonic);
  Fault fault(cls, mnemonic + ": " + what, instr.where);
  fault.instruction = mnemonic;
  fault.pipe = std::string(pipe_name(Pipe::V));
  throw fault;
}

[[noreturn]] void refuse_types(const Instr& instr) {
  const auto& params = std::get<VectorParams>(instr.params);
  std::string what = "there is no such instruction for " + std::string(dtype_name(instr.dst.type));
  if (vector_operands(instr.op).src0) what += " from " + std::string(dtype_name(instr.src0.type));
  if (vector_operands(instr.op).src1) what += " and " + std::string(dtype_name(instr.src1.type));
  if (instr.op == Opcode::kCast) what += " with " + std::string(round_mode_name(params.round));
  refuse(instr, FaultClass::kParameter, what);
}

/// The lane function of a record, which exists if its types and rounding mode do.
LaneFn lanes_of(const Instr& instr) {
  const auto* params = std::get_if<VectorParams>(&instr.params);
  if (params == nullptr) refuse(instr, FaultClass::kParameter, "the record has no VectorParams");
  const bool sources_alike = !vector_operands(instr.op).src1 || instr.src0.type == instr.src1.type;
  const bool mode_known = static_cast<std::size_t>(params->round) < kRoundModes;
  const LaneFn lanes =
      sources_alike && mode_known
          ? lane_table().find(instr.op, instr.dst.type, instr.src0.type, params->round)
          : nullptr;
  if (lanes == nullptr) refuse_types(instr);
  return lanes;
}

/// Bytes from an operand's start to the end of the last DataBlock that the instruction touches.
std::uint64_t extent(const VectorShape& shape, const VectorOperandShape& operand) {
  if (shape.repeats == 0) return 0;
  const auto last_block = [&](std::uint32_t repeat) {
    return operand.offset(repeat, shape.blocks_of(operand, repeat) - 1);
  };
  std::uint64_t last = last_block(shape.repeats - 1);
  // The last repeat may be shorter than the one before it.
  if (shape.repeats > 1) last = std::max(last, last_block(shape.repeats - 2));
  return last + kBlockBytes;
}

[[noreturn]] void refuse_extent(const Instr& instr, const VectorShape& shape, const char* name,
                                const Operand& operand, std::uint64_t bytes, std::uint64_t size) {
  refuse(instr, FaultClass::kAddress,
         std::string(name) + " reaches from byte " + std::to_string(operand.addr) + " to " +
             std::to_string(operand.addr + bytes) + " of UB, which has " + std::to_string(size) +
             " (" + std::to_string(shape.lanes) + " lanes in " + std::to_string(shape.repeats) +
             " repeats)");
}

void check_operand(const Instr& instr, const VectorShape& shape, std::uint64_t ub_bytes,
                   const char* name, const Operand& operand, const VectorOperandShape& where) {
  if (!where.used) return;
  if (operand.space != Space::kUb) {
    refuse(instr, FaultClass::kParameter,
           std::string(name) + " lies in " + std::string(space_name(operand.space)) +
               ", allowed is UB");
  }
  if (operand.addr % kBlockBytes != 0) {
    refuse(instr, FaultClass::kAlignment,
           std::string(name) + " is at byte " + std::to_string(operand.addr) +
               " of UB, allowed are multiples of 32");
  }
  const std::uint64_t bytes = extent(shape, where);
  if (operand.addr > ub_bytes || bytes > ub_bytes - operand.addr) {
    refuse_extent(instr, shape, name, operand, bytes, ub_bytes);
  }
}

void check_operands(const Instr& instr, const VectorShape& shape, const CoreMemory& memory) {
  const std::uint64_t ub_bytes = memory.size(Space::kUb);
  check_operand(instr, shape, ub_bytes, "dst", instr.dst, shape.dst);
  check_operand(instr, shape, ub_bytes, "src0", instr.src0, shape.src0);
  check_operand(instr, shape, ub_bytes, "src1", instr.src1, shape.src1);
}

void check_params(const Instr& instr, const VectorShape& shape) {
  const auto& params = std::get<VectorParams>(instr.params);
  if (params.repeats > kMaxRepeats) {
    refuse(instr, FaultClass::kParameter,
           "repeats is " + std::to_string(params.repeats) + ", allowed are 0 to 255");
  }
  if (shape.repeats != 0 && params.dst.block == 0 && shape.blocks_of(shape.dst, 0) > 1) {
    refuse(instr, FaultClass::kParameter,
           "the block stride of dst is 0, allowed are 1 and more: the blocks of a repeat would "
           "overwrite each other");
  }
}

/// The shape of a record whose types exist, all limits checked.
VectorShape checked_shape(const Instr& instr, const CoreMemory& memory) {
  const VectorShape shape = vector_shape(instr);
  check_params(instr, shape);
  check_operands(instr, shape, memory);
  return shape;
}

void validate_vector(const Instr& instr, const CoreMemory& memory) {
  lanes_of(instr);
  checked_shape(instr, memory);
}

void execute_vector(const Instr& instr, const CoreMemory& memory) {
  const LaneFn lanes = lanes_of(instr);
  const VectorShape shape = checked_shape(instr, memory);
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
