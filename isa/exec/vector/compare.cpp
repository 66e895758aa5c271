// Comparisons: into a tensor of bits, or into CMPMASK.
#include <array>
#include <cstring>
#include <string>

#include "isa/core/registers.hpp"
#include "isa/exec/exec_table.hpp"
#include "isa/exec/vector/compare_lanes.hpp"
#include "isa/exec/vector/vector_check.hpp"
#include "isa/exec/vector/vector_splat.hpp"
#include "isa/exec/vector/vector_stage.hpp"
#include "isa/instr/vector_types.hpp"

namespace davsim::isa {
namespace {

void check_types(const Instr& instr) {
  const CompareMode mode = vector_params(instr).compare;
  const DType type = instr.src0.type;
  const bool sources_alike = facts(instr.op).src1 == Form::kAbsent || instr.src1.type == type;
  const bool exists = mode <= CompareMode::kNotEqual && comparison_exists(instr.op, mode, type);
  if (!sources_alike || !exists || !types_exist(instr.op, instr.dst.type, type)) {
    refuse_vector(instr, FaultClass::kParameter,
                  "there is no comparison with mode " + std::to_string(static_cast<int>(mode)) +
                      " of " + std::string(dtype_name(type)) + " into " +
                      std::string(dtype_name(instr.dst.type)) +
                      "; int32 can only be compared for equality (2)");
  }
}

CompareFn lanes_of(const Instr& instr) {
  return compare_table().compare(vector_params(instr).compare, instr.src0.type);
}

void decode_comparison(DecodedInstr& instr, const CoreMemory& memory) {
  check_types(instr);
  decode_shape(instr, memory);
}

/// The lanes of a repeat, whether there are all of them or not; what lies behind them is anything.
const std::byte* whole_repeat(const std::byte* ub, const VectorShape& shape,
                              const VectorOperandShape& operand, std::uint32_t repeat,
                              std::byte* stage) {
  const std::uint32_t all = kRepeatBytes / operand.element_bytes;
  const LaneStep step{repeat, 0, shape.lanes_of(repeat)};
  if (step.lanes == all) return packed_lanes(ub, operand, step, stage);
  std::fill_n(stage, kRepeatBytes, std::byte{0});
  pack_lanes(ub, operand, step, stage);
  return stage;
}

/// Whole repeats of all tensors lie one behind the other, and no result lands on a source.
bool is_one_run(const VectorShape& shape) {
  const std::uint64_t bytes = std::uint64_t{shape.repeats} * kRepeatBytes;
  const std::uint64_t results = shape.lanes() / 8;
  const auto stays = [&](const VectorOperandShape& src) {
    if (!src.used()) return true;
    const bool packed = src.block_pitch == kBlockBytes && src.repeat_pitch == kRepeatBytes;
    return packed && (shape.dst.addr + results <= src.addr || src.addr + bytes <= shape.dst.addr);
  };
  return shape.prefix() && shape.lanes() * shape.src0.element_bytes == bytes && stays(shape.src0) &&
         stays(shape.src1);
}

/// All lanes of every repeat, whatever the mask; the bits of the repeats lie one behind the other.
void execute_comparison(const DecodedInstr& instr, const CoreMemory& memory) {
  const CompareFn compare = lanes_of(instr);
  const VectorShape& shape = instr.shape;
  std::byte* ub = memory.host(Space::kUb, 0);
  const std::size_t element_bytes = shape.src0.element_bytes;
  const Splat scalar(vector_params(instr).scalar, element_bytes);
  alignas(64) std::array<std::byte, kRepeatBytes> stage0, stage1;
  const auto lanes = static_cast<std::uint32_t>(kRepeatBytes / element_bytes);
  const std::size_t b_step = shape.src1.used() ? kCompareChunk : 0;
  if (is_one_run(shape)) {
    compare(ub + shape.src0.addr, shape.src1.used() ? ub + shape.src1.addr : scalar.lanes(), b_step,
            reinterpret_cast<std::uint8_t*>(ub + shape.dst.addr), shape.lanes());
    return;
  }
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    const std::byte* a = whole_repeat(ub, shape, shape.src0, repeat, stage0.data());
    const std::byte* b = shape.src1.used()
                             ? whole_repeat(ub, shape, shape.src1, repeat, stage1.data())
                             : scalar.lanes();
    std::uint8_t bits[kCmpMaskBytes];
    compare(a, b, b_step, bits, lanes);
    std::memcpy(ub + shape.dst.block_addr(repeat, 0), bits, lanes / 8);
  }
}

/// One repeat. Bits of lanes that are masked off or that a repeat has not are 0.
void execute_to_mask(const DecodedInstr& instr, const CoreMemory& memory) {
  const CompareFn compare = lanes_of(instr);
  const VectorShape& shape = instr.shape;
  const LaneMask& mask = vector_params(instr).mask;
  if (shape.repeats == 0) return;
  const std::byte* ub = memory.host(Space::kUb, 0);
  const auto lanes = static_cast<std::uint32_t>(kRepeatBytes / shape.src0.element_bytes);
  alignas(64) std::array<std::byte, kRepeatBytes> stage0, stage1;
  std::uint8_t bits[kCmpMaskBytes] = {};
  compare(whole_repeat(ub, shape, shape.src0, 0, stage0.data()),
          whole_repeat(ub, shape, shape.src1, 0, stage1.data()), kCompareChunk, bits, lanes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const bool active = lane < shape.lanes_of(0) && shape.lane_active(mask, lane);
    if (!active) bits[lane / 8] = static_cast<std::uint8_t>(bits[lane / 8] & ~(1u << lane % 8));
  }
  std::memcpy(memory.at(Space::kSpr, kSprCmpMask, kCmpMaskBytes), bits, kCmpMaskBytes);
}

}  // namespace

void add_compare_rows(ExecTable& table) {
  table.set(Opcode::kCompare, {&decode_comparison, &execute_comparison});
  table.set(Opcode::kCompareScalar, {&decode_comparison, &execute_comparison});
  table.set(Opcode::kCompareToMask, {&decode_comparison, &execute_to_mask});
}

}  // namespace davsim::isa
