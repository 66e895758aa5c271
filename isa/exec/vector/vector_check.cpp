#include "isa/exec/vector/vector_check.hpp"

#include <algorithm>

#include "isa/exec/vector/vector_shape.hpp"
#include "isa/instr/place_name.hpp"

namespace davsim::isa {
namespace {

constexpr std::uint32_t kMaxRepeats = 255;

/// Bytes from an operand's start to the end of the last DataBlock that the instruction touches.
std::uint64_t extent(const VectorShape& shape, const VectorOperandShape& operand) {
  if (shape.repeats == 0) return 0;
  const auto last_block = [&](std::uint32_t repeat) {
    return operand.offset(repeat, shape.blocks_of(operand, repeat) - 1);
  };
  std::uint64_t last = last_block(shape.repeats - 1);
  // The last repeat may be shorter than the one before it.
  if (shape.repeats > 1) last = std::max(last, last_block(shape.repeats - 2));
  return last + operand.block_bytes;
}

[[noreturn]] void refuse_extent(const Instr& instr, const VectorShape& shape, const char* name,
                                const Operand& operand, std::uint64_t bytes, std::uint64_t size) {
  refuse_vector(instr, FaultClass::kAddress,
                std::string(name) + " reaches from byte " + std::to_string(operand.addr) + " to " +
                    std::to_string(operand.addr + bytes) + " of UB, which has " +
                    std::to_string(size) + " (" + std::to_string(shape.lanes()) + " lanes in " +
                    std::to_string(shape.repeats) + " repeats)");
}

void check_operand(const DecodedInstr& instr, std::uint64_t ub_bytes, const char* name, Form form,
                   const Operand& operand, const VectorOperandShape& where) {
  if (!where.used()) return;
  if (operand.space != Space::kUb) {
    refuse_vector(instr, FaultClass::kParameter,
                  std::string(name) + " lies in " + std::string(place_name(operand.space)) +
                      ", allowed is UB");
  }
  // Results of a reduction and masks may begin wherever those of another repeat would.
  const bool packed = form == Form::kResults || form == Form::kMaskBytes;
  const std::uint32_t align = packed ? where.block_bytes : kBlockBytes;
  if ((operand.addr & (align - 1u)) != 0) {  // a power of two
    refuse_vector(instr, FaultClass::kAlignment,
                  std::string(name) + " is at byte " + std::to_string(operand.addr) +
                      " of UB, allowed are multiples of " + std::to_string(align));
  }
  const std::uint64_t bytes = extent(instr.shape, where);
  if (operand.addr > ub_bytes || bytes > ub_bytes - operand.addr) {
    refuse_extent(instr, instr.shape, name, operand, bytes, ub_bytes);
  }
}

void check_operands(const DecodedInstr& instr, const CoreMemory& memory) {
  const std::uint64_t ub_bytes = memory.size(Space::kUb);
  const OpcodeFacts& row = facts(instr.op);
  check_operand(instr, ub_bytes, "dst", row.dst, instr.dst, instr.shape.dst);
  check_operand(instr, ub_bytes, "src0", row.src0, instr.src0, instr.shape.src0);
  check_operand(instr, ub_bytes, "src1", row.src1, instr.src1, instr.shape.src1);
}

void check_params(const DecodedInstr& instr) {
  const VectorShape& shape = instr.shape;
  const auto& params = std::get<VectorParams>(instr.params);
  if (params.repeats > kMaxRepeats) {
    refuse_vector(instr, FaultClass::kParameter,
                  "repeats is " + std::to_string(params.repeats) + ", allowed are 0 to 255");
  }
  if (shape.repeats != 0 && shape.dst.used() && shape.dst.block_pitch == 0 &&
      shape.blocks_of(shape.dst, 0) > 1) {
    refuse_vector(
        instr, FaultClass::kParameter,
        "the block stride of dst is 0, allowed are 1 and more: the blocks of a repeat would "
        "overwrite each other");
  }
}

}  // namespace

void refuse_vector(const Instr& instr, FaultClass cls, const std::string& what) {
  const std::string mnemonic(instr.opcode_info().mnemonic);
  Fault fault(cls, mnemonic + ": " + what, instr.where);
  fault.instruction = mnemonic;
  fault.pipe = std::string(pipe_name(Pipe::V));
  throw fault;
}

const VectorParams& vector_params(const Instr& instr) {
  const auto* params = std::get_if<VectorParams>(&instr.params);
  if (params == nullptr) {
    refuse_vector(instr, FaultClass::kParameter, "the record has no VectorParams");
  }
  return *params;
}

void decode_shape(DecodedInstr& instr, const CoreMemory& memory) {
  instr.shape = vector_shape(instr);
  check_params(instr);
  check_operands(instr, memory);
}

}  // namespace davsim::isa
