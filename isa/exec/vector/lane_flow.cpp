#include "isa/exec/vector/lane_flow.hpp"

#include <algorithm>
#include <variant>

#include "isa/core/registers.hpp"
#include "isa/exec/list_accesses.hpp"
#include "isa/instr/opcode_facts.hpp"
#include "isa/instr/vector_types.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

using Visit = std::function<void(Space, std::uint64_t, std::uint64_t)>;

/// The form of what the instruction reads through an operand; kAbsent if it reads nothing there.
Form form_read(const DecodedInstr& instr, const Operand* operand) {
  const OpcodeFacts& row = facts(instr.op);
  if (operand == &instr.src0) return row.src0;
  if (operand == &instr.src1) return row.src1;
  if (operand == &instr.dst && row.reads_dst) return row.dst;
  return Form::kAbsent;
}

bool is_of_bits(const DecodedInstr& instr, Form form) {
  return form == Form::kLanesOrBits &&
         std::get<VectorParams>(instr.params).select == SelectMode::kTensorScalar;
}

bool results_are_of_lanes(const DecodedInstr& instr) {
  switch (facts(instr.op).dst) {
    case Form::kLanes:
    case Form::kHalfBlocks:
    case Form::kBits:
      return true;
    case Form::kResults:
      return !std::get<VectorParams>(instr.params).accumulate;
    default:
      return facts(instr.op).writes == VectorRegister::kCmpMask;
  }
}

const VectorOperandShape& shape_read(const DecodedInstr& instr, const Operand* operand) {
  if (operand == &instr.src0) return instr.shape.src0;
  return operand == &instr.src1 ? instr.shape.src1 : instr.shape.dst;
}

/// Lanes [first, end) of a repeat.
struct Lanes {
  std::uint32_t repeat, first, end;
};

/// Calls visit(lanes) for the lanes that have a part of their value in the bytes.
template <class VisitLanes>
void for_each_lanes(const DecodedInstr& instr, const SourceBytes& source, VisitLanes visit) {
  const VectorOperandShape& shape = shape_read(instr, source.operand);
  const bool bits = is_of_bits(instr, form_read(instr, source.operand));
  const std::uint64_t lanes_per_block =
      bits ? std::uint64_t{shape.block_bytes} * 8 : shape.lanes_per_block;
  for (std::uint32_t repeat = 0; repeat < instr.shape.repeats; ++repeat) {
    const std::uint64_t lanes = instr.shape.lanes_of(repeat);
    for (std::uint64_t block = 0; block * lanes_per_block < lanes; ++block) {
      const std::uint64_t start = shape.block_addr(repeat, block);
      const std::uint64_t from = std::max(source.from, start);
      const std::uint64_t to = std::min(source.to, start + shape.block_bytes);
      if (from >= to) continue;
      const std::uint64_t before = block * lanes_per_block;
      const std::uint64_t first = before + (from - start) * lanes_per_block / shape.block_bytes;
      const std::uint64_t end =
          before + ceil_div((to - start) * lanes_per_block, std::uint64_t{shape.block_bytes});
      visit(Lanes{repeat, static_cast<std::uint32_t>(first),
                  static_cast<std::uint32_t>(std::min(end, lanes))});
    }
  }
}

/// An element a lane.
void visit_elements(const VectorOperandShape& dst, const Lanes& lanes, const Visit& visit) {
  for (std::uint64_t lane = lanes.first; lane < lanes.end;) {
    const std::uint64_t block = dst.block_of(lane), before = block * dst.lanes_per_block;
    const std::uint64_t end = std::min<std::uint64_t>(lanes.end, before + dst.lanes_per_block);
    const std::uint64_t from = dst.bytes_of(lane - before);
    const std::uint64_t to =
        ceil_div((end - before) * dst.block_bytes, std::uint64_t{dst.lanes_per_block});
    visit(Space::kUb, dst.block_addr(lanes.repeat, block) + from, to - from);
    lane = end;
  }
}

/// A bit a lane. A byte with a bit of another lane has a value.
void visit_bits(const VectorOperandShape& dst, const Lanes& lanes, const Visit& visit) {
  const std::uint64_t first = ceil_div(lanes.first, 8), end = lanes.end / 8;
  if (first < end) visit(Space::kUb, dst.block_addr(lanes.repeat, 0) + first, end - first);
}

/// A result for each group of lanes, one behind the other.
void visit_groups(const DecodedInstr& instr, const Lanes& lanes, const Visit& visit) {
  const auto element = static_cast<std::uint32_t>(dtype_bytes(instr.src0.type));
  const std::uint32_t group = lanes_per_result(instr.op, element);
  const std::uint64_t bytes =
      result_bytes(instr.op, std::get<VectorParams>(instr.params).order, element);
  const std::uint64_t first = lanes.first / group, end = ceil_div(lanes.end, group);
  visit(Space::kUb, instr.shape.dst.block_addr(lanes.repeat, 0) + first * bytes,
        (end - first) * bytes);
}

void visit_results(const DecodedInstr& instr, const Lanes& lanes, const Visit& visit) {
  const VectorOperandShape& dst = instr.shape.dst;
  switch (facts(instr.op).dst) {
    case Form::kLanes:
    case Form::kHalfBlocks:
      return visit_elements(dst, lanes, visit);
    case Form::kBits:
      return visit_bits(dst, lanes, visit);
    case Form::kResults:
      return visit_groups(instr, lanes, visit);
    default:
      return;
  }
}

void visit_moved(const Instr& instr, const MoveParams& move, const SourceBytes& source,
                 const Visit& visit) {
  const Access src = source_of(instr, move), dst = destination_of(instr, move);
  for (std::uint64_t row = 0; row < src.rows; ++row) {
    const std::uint64_t start = src.at(0, row);
    const std::uint64_t from = std::max(source.from, start);
    const std::uint64_t to = std::min(source.to, start + src.bytes);
    if (from < to) visit(Space::kUb, dst.at(0, row) + (from - start), to - from);
  }
}

void visit_register(VectorRegister reg, const Visit& visit) {
  if (reg == VectorRegister::kCmpMask) visit(Space::kSpr, kSprCmpMask, kCmpMaskBytes);
  if (reg == VectorRegister::kMaxMinCnt) visit(Space::kSpr, kSprMaxMinValue, 8);
}

}  // namespace

bool flows_by_lanes(const DecodedInstr& instr, const Operand* operand) {
  if (instr.op == Opcode::kMoveUbToUb) return operand == &instr.src0;
  if (!std::holds_alternative<VectorParams>(instr.params)) return false;
  switch (form_read(instr, operand)) {
    case Form::kLanes:
    case Form::kHalfBlocks:
    case Form::kLanesOrBits:
    case Form::kEights:
      return results_are_of_lanes(instr);
    default:
      return false;
  }
}

void for_each_result_of(const DecodedInstr& instr, const SourceBytes& source, const Visit& visit) {
  if (const auto* move = std::get_if<MoveParams>(&instr.params)) {
    return visit_moved(instr, *move, source, visit);
  }
  for_each_lanes(instr, source, [&](const Lanes& lanes) { visit_results(instr, lanes, visit); });
  visit_register(facts(instr.op).writes, visit);
}

}  // namespace davsim::isa
