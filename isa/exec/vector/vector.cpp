// Vector instructions: their limits and their meaning.
#include <string>

#include "isa/exec/exec_table.hpp"
#include "isa/exec/vector/vector_check.hpp"
#include "isa/exec/vector/vector_dequant.hpp"
#include "isa/exec/vector/vector_lanes.hpp"
#include "isa/exec/vector/vector_walk.hpp"
#include "isa/instr/vector_types.hpp"

namespace davsim::isa {
namespace {

[[noreturn]] void refuse_types(const Instr& instr) {
  const auto& params = std::get<VectorParams>(instr.params);
  std::string what = "there is no such instruction for " + std::string(dtype_name(instr.dst.type));
  if (facts(instr.op).src0 != Form::kAbsent)
    what += " from " + std::string(dtype_name(instr.src0.type));
  if (facts(instr.op).src1 == Form::kLanes)
    what += " and " + std::string(dtype_name(instr.src1.type));
  if (instr.op == Opcode::kCast) what += " with " + std::string(round_mode_name(params.round));
  refuse_vector(instr, FaultClass::kParameter, what);
}

/// The lane function of a record, which exists if its types and rounding mode do. Looking it up
/// again costs less than carrying it along.
LaneFn lanes_of(const Instr& instr) {
  const VectorParams& params = vector_params(instr);
  const bool sources_alike =
      facts(instr.op).src1 != Form::kLanes || instr.src0.type == instr.src1.type;
  const bool mode_known = static_cast<std::size_t>(params.round) < kRoundModes;
  const LaneFn lanes = sources_alike && mode_known
                           ? lane_table().find(instr.op, instr.dst.type, instr.src0.type,
                                               params.round, params.overflow)
                           : nullptr;
  if (lanes == nullptr) refuse_types(instr);
  return lanes;
}

/// Lanes that share a byte are computed together or not at all.
void check_int4_mask(const Instr& instr) {
  if (instr.dst.type != DType::kI4 && instr.src0.type != DType::kI4) return;
  const auto& params = std::get<VectorParams>(instr.params);
  const auto pairs_differ = [](std::uint64_t bits) {
    return ((bits ^ bits >> 1) & 0x5555555555555555u) != 0;
  };
  const bool counts = params.mask_mode == MaskMode::kCounter;
  if (counts && params.mask[0] % 2 != 0) {
    refuse_vector(instr, FaultClass::kParameter,
                  "the number of elements is " + std::to_string(params.mask[0]) +
                      ", with int4 allowed are even numbers");
  }
  if (!counts && (pairs_differ(params.mask[0]) || pairs_differ(params.mask[1]))) {
    refuse_vector(
        instr, FaultClass::kParameter,
        "the mask parts a pair of lanes; allowed with int4 are even numbers of lanes, and "
        "mask bits that are alike two by two");
  }
}

void check_shift(const Instr& instr) {
  if (facts(instr.op).scalar != ScalarOperand::kPlaces) return;
  const std::uint64_t places = std::get<VectorParams>(instr.params).scalar & 0xffffffffu;
  const std::uint64_t width = dtype_bits(instr.dst.type);
  if (places > width) {
    refuse_vector(instr, FaultClass::kParameter,
                  "scalarValue is " + std::to_string(static_cast<std::int32_t>(places)) +
                      ", allowed are 0 to " + std::to_string(width));
  }
}

void decode_vector(DecodedInstr& instr, const CoreMemory& memory) {
  lanes_of(instr);
  check_int4_mask(instr);
  check_shift(instr);
  decode_shape(instr, memory);
}

SaturateFn saturate_of(const Instr& instr) {
  const bool saturates = std::get<VectorParams>(instr.params).overflow.floats_saturate;
  const bool computes = facts(instr.op).numbers != Numbers::kExact;
  return saturates && computes ? saturate_lanes(instr.dst.type) : nullptr;
}

void execute_vector(const DecodedInstr& instr, const CoreMemory& memory) {
  const auto& params = std::get<VectorParams>(instr.params);
  run_vector({instr.shape, params.mask, lanes_of(instr), facts(instr.op).reads_dst, params.scalar,
              memory.host(Space::kUb, 0), nullptr, saturate_of(instr)});
}

void decode_dequant(DecodedInstr& instr, const CoreMemory& memory) {
  decode_vector(instr, memory);
  validate_dequant_table(instr, memory);
  // One word is known already; those of a table may still change until the instruction runs.
  if (instr.src1.space == Space::kNone) dequant_table(instr, memory);
}

void execute_dequant(const DecodedInstr& instr, const CoreMemory& memory) {
  const DequantTable table = dequant_table(instr, memory);
  run_vector({instr.shape, std::get<VectorParams>(instr.params).mask, lanes_of(instr), false, 0,
              memory.host(Space::kUb, 0), &table});
}

}  // namespace

void add_vector_rows(ExecTable& table) {
  for (std::size_t i = 0; i < kOpcodeCount; ++i) {
    const auto op = static_cast<Opcode>(i);
    if (computes_lanes(op)) table.set(op, {&decode_vector, &execute_vector});
  }
  table.set(Opcode::kCastDequant, {&decode_dequant, &execute_dequant});
}

}  // namespace davsim::isa
