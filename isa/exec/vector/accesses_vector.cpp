// The bytes of UB and of the vector unit's registers that vector instructions touch.
#include <bit>
#include <cstring>
#include <vector>

#include "isa/core/registers.hpp"
#include "isa/exec/list_accesses.hpp"
#include "isa/exec/vector/keep_pattern.hpp"
#include "isa/exec/vector/operand_accesses.hpp"
#include "isa/exec/vector/sort.hpp"
#include "isa/exec/vector/transpose.hpp"
#include "isa/exec/vector/vector_dequant.hpp"
#include "isa/instr/vector_types.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

using Kind = Access::Kind;

void add_register(AccessList& list, Kind kind, std::uint64_t offset, std::uint64_t bytes) {
  Access access = in_ub(nullptr, kind, offset, bytes);
  access.space = Space::kSpr;
  list.add(access);
}

/// DataBlocks of UB, gathered one by one and read as runs.
class BlockSet {
 public:
  /// Empty, for a UB of so many bytes.
  void begin(std::uint64_t ub_bytes) { blocks_.assign(ub_bytes / kBlockBytes, false); }
  void add(std::uint64_t addr, std::uint64_t bytes) {
    const std::uint64_t end = std::min<std::uint64_t>(blocks_.size() * kBlockBytes, addr + bytes);
    for (std::uint64_t at = addr / kBlockBytes; at * kBlockBytes < end; ++at) blocks_[at] = true;
  }
  void list(const Operand& operand, AccessList& list) const {
    for (std::size_t from = 0; from < blocks_.size();) {
      if (!blocks_[from]) {
        ++from;
        continue;
      }
      std::size_t to = from;
      while (to < blocks_.size() && blocks_[to]) ++to;
      Access access =
          in_ub(&operand, Kind::kReadAround, from * kBlockBytes, (to - from) * kBlockBytes);
      access.unit = kBlockBytes;
      list.add(access);
      from = to;
    }
  }

 private:
  std::vector<bool> blocks_;
};

/// Elements or blocks that the offsets in memory lead to, in whole DataBlocks.
void list_gathered(const DecodedInstr& instr, const CoreMemory& memory, AccessList& list) {
  const VectorShape& shape = instr.shape;
  const LaneMask& mask = std::get<VectorParams>(instr.params).mask;
  const bool by_block = facts(instr.op).src0 == Form::kBlockOffsets;
  const std::uint64_t bytes = by_block ? kBlockBytes : dtype_bytes(instr.dst.type);
  const std::byte* ub = memory.host(Space::kUb, 0);
  static thread_local BlockSet blocks;
  blocks.begin(memory.size(Space::kUb));
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    const std::uint32_t count = by_block ? kBlocksPerRepeat : shape.lanes_of(repeat);
    const std::byte* from = ub + shape.src0.block_addr(repeat, 0);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!by_block && !shape.lane_active(mask, i)) continue;
      std::uint32_t offset = 0;
      std::memcpy(&offset, from + i * sizeof offset, sizeof offset);
      blocks.add(instr.src1.addr + offset, bytes);
    }
  }
  blocks.list(instr.src1, list);
}

/// Elements that a GatherMask keeps: what its pattern, or its tensor of bits, lets through; without
/// a look at the bits, all.
std::uint64_t kept(const DecodedInstr& instr, const CoreMemory* memory) {
  const VectorShape& shape = instr.shape;
  const std::uint8_t pattern = std::get<VectorParams>(instr.params).pattern;
  std::uint64_t count = 0;
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    const std::uint32_t lanes = shape.lanes_of(repeat);
    if (pattern != 0 || memory == nullptr) {
      count += pattern != 0 ? pattern_of(pattern).kept(lanes) : lanes;
      continue;
    }
    const std::byte* bits =
        memory->at(Space::kUb, shape.src1.block_addr(repeat, 0), (lanes + 7) / 8);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      count += std::to_integer<unsigned>(bits[lane / 8]) >> lane % 8 & 1u;
    }
  }
  return count;
}

/// The results of a reduction: those of a repeat lie side by side.
void list_results(const DecodedInstr& instr, AccessList& list) {
  const VectorShape& shape = instr.shape;
  if (!shape.dst.used()) return;
  const auto element = static_cast<std::uint32_t>(dtype_bytes(instr.src0.type));
  const std::uint32_t group = lanes_per_result(instr.op, element);
  const std::uint32_t result =
      result_bytes(instr.op, std::get<VectorParams>(instr.params).order, element);
  const auto add = [&](std::uint32_t first, std::uint32_t count, std::uint32_t lanes) {
    Access access = in_ub(&instr.dst, Kind::kWrite, shape.dst.block_addr(first, 0),
                          ceil_div(lanes, group) * result);
    access.rows = count;
    access.pitch = shape.dst.repeat_pitch;
    list.add(access);
  };
  add(0, shape.repeats - 1, shape.lanes_per_repeat);
  add(shape.repeats - 1, 1, shape.last_lanes);
}

/// UB from `operand` on: where contents lead to.
Access rest_of_ub(const Operand& operand, std::uint64_t ub_bytes) {
  Access rest =
      in_ub(&operand, Kind::kReadAround, operand.addr, ub_bytes - std::min(ub_bytes, operand.addr));
  rest.unit = kBlockBytes;
  return rest;
}

/// Who asks, and what of memory is known.
struct Question {
  const DecodedInstr& instr;
  const CoreMemory* memory;  ///< null: what may be touched
  std::uint64_t ub_bytes;
  AccessList& list;
};

/// The bits whose address is in CMPMASK, where Select finds them that way.
void list_bits_of_cmp_mask(const Question& ask) {
  const VectorShape& shape = ask.instr.shape;
  const SelectMode mode = std::get<VectorParams>(ask.instr.params).select;
  if (facts(ask.instr.op).src1 != Form::kLanesOrBits || mode != SelectMode::kTensorTensor) return;
  if (ask.memory == nullptr) return ask.list.add(in_ub(nullptr, Kind::kRead, 0, ask.ub_bytes));
  std::uint32_t addr = 0;
  std::memcpy(&addr, ask.memory->at(Space::kSpr, kSprCmpMask, sizeof addr), sizeof addr);
  const std::uint64_t repeat = kRepeatBytes / shape.dst.element_bytes / 8;
  if (!ask.memory->contains(Space::kUb, addr, shape.repeats * repeat)) return;
  // The last repeat needs no bits of lanes that it does not compute.
  const std::uint64_t bytes = (shape.repeats - 1) * repeat + ceil_div(shape.last_lanes, 8u);
  ask.list.add(in_ub(nullptr, Kind::kRead, addr, bytes));
}

/// Reads of a source that lies in memory as `form` says.
void list_source(const Question& ask, Form form, const Operand& operand,
                 const VectorOperandShape& where) {
  OperandAccesses source(ask.instr, where, operand, ask.list);
  switch (form) {
    case Form::kLanesOrBits:
      if (std::get<VectorParams>(ask.instr.params).select == SelectMode::kTensorScalar) {
        return source.add_bits(Kind::kRead);
      }
      return source.add(Kind::kRead);
    case Form::kEights:  // eight elements at a time, whether there are as many or not
      return source.add_whole(Kind::kReadAround);
    case Form::kMaskBytes:
      return ask.list.add(in_ub(&operand, Kind::kRead, operand.addr, kCmpMaskBytes));
    case Form::kGathered:
      if (ask.memory == nullptr) return ask.list.add(rest_of_ub(operand, ask.ub_bytes));
      return list_gathered(ask.instr, *ask.memory, ask.list);
    case Form::kQuantWords:
      if (operand.space != Space::kUb) return;  // one word in place of a table
      return ask.list.add(in_ub(nullptr, Kind::kRead, operand.addr, kDequantTableBytes));
    default:
      return source.add(Kind::kRead);
  }
}

void list_result(const Question& ask, Form form) {
  const DecodedInstr& instr = ask.instr;
  OperandAccesses dst(instr, instr.shape.dst, instr.dst, ask.list);
  switch (form) {
    case Form::kResults:
      return list_results(instr, ask.list);
    case Form::kBits:
      return dst.add_whole(Kind::kWrite);
    case Form::kMaskBytes:
      return ask.list.add(in_ub(&instr.dst, Kind::kWrite, instr.dst.addr, kCmpMaskBytes));
    case Form::kKept:
      return ask.list.add(in_ub(&instr.dst, Kind::kWrite, instr.dst.addr,
                                kept(instr, ask.memory) * dtype_bytes(instr.dst.type)));
    default:
      return dst.add(Kind::kWrite);
  }
}

void list_register(VectorRegister reg, Kind kind, const VectorParams* params, AccessList& list) {
  switch (reg) {
    case VectorRegister::kNoRegister:
      return;
    case VectorRegister::kCmpMask:
      return add_register(list, kind, kSprCmpMask, kCmpMaskBytes);
    case VectorRegister::kAccVal:
      if (params->accumulate) add_register(list, kind, kSprAccVal, 8);
      return;
    case VectorRegister::kMaxMinCnt:
      return add_register(list, kind, kSprMaxMinValue, 8);
    case VectorRegister::kRsvdCnt:
      return add_register(list, kind, kSprRsvdCnt, 8);
    case VectorRegister::kMergeCounts:
      return add_register(list, kind, kSprMergeCounts, 8);
  }
}

}  // namespace

void list_vector(const DecodedInstr& instr, const CoreMemory* memory, std::uint64_t ub_bytes,
                 AccessList& list) {
  const VectorShape& shape = instr.shape;
  if (shape.repeats == 0) return;
  const OpcodeFacts& row = facts(instr.op);
  const auto& params = std::get<VectorParams>(instr.params);
  const Question ask{instr, memory, ub_bytes, list};
  list_register(row.reads, Kind::kRead, &params, list);
  list_bits_of_cmp_mask(ask);
  list_source(ask, row.src0, instr.src0, shape.src0);
  list_source(ask, row.src1, instr.src1, shape.src1);
  if (row.reads_dst) OperandAccesses(instr, shape.dst, instr.dst, list).add(Kind::kRead);
  list_result(ask, row.dst);
  list_register(row.writes, Kind::kWrite, &params, list);
}

void list_transpose(const Instr& instr, const TransposeParams& params, AccessList& list) {
  const bool halves = dtype_bytes(instr.dst.type) == 1;
  const std::uint64_t bytes = halves ? kBlockBytes / 2 : kBlockBytes;
  const auto add = [&](Kind kind, const Operand& operand,
                       const std::array<std::uint16_t, 16>& blocks, std::uint16_t step,
                       bool upper) {
    // Without a buffer the blocks may be of sixteen different tensors.
    const Operand* tensor = operand.buffer == 0 ? nullptr : &operand;
    for (const std::uint16_t block : blocks) {
      Access access = in_ub(tensor, kind, std::uint64_t{block} * kBlockBytes, bytes);
      // A single repeat starts a step behind its addresses.
      if (params.repeats == 1) access.addr += std::uint64_t{step} * kBlockBytes;
      if (halves && upper) access.addr += bytes;
      access.rows = params.repeats;
      access.pitch = std::int64_t{step} * kBlockBytes;
      list.add(access);
    }
  };
  add(Kind::kRead, instr.src0, params.src, params.src_step, params.src_upper);
  add(Kind::kWrite, instr.dst, params.dst, params.dst_step, params.dst_upper);
}

void list_sort(const Instr& instr, const SortParams& params, AccessList& list) {
  if (facts(instr.op).src0 == Form::kScores) {
    const std::uint64_t pairs = sorted_pairs(instr);
    list.add(
        in_ub(&instr.src0, Kind::kRead, instr.src0.addr, pairs * dtype_bytes(instr.src0.type)));
    list.add(in_ub(&instr.src1, Kind::kRead, instr.src1.addr, pairs * sizeof(std::uint32_t)));
    list.add(in_ub(&instr.dst, Kind::kWrite, instr.dst.addr, pairs * kSortPairBytes));
    return;
  }
  const std::uint64_t repeats = merge_repeats(instr);
  if (repeats == 0) return;
  const auto step = static_cast<std::int64_t>(merged_pairs(params)) * kSortPairBytes;
  for (std::uint32_t queue = 0; queue < params.queues; ++queue) {
    Access access = in_ub(nullptr, Kind::kRead, params.queue_addr[queue],
                          std::uint64_t{params.lengths[queue]} * kSortPairBytes);
    access.rows = repeats;
    access.pitch = step;
    list.add(access);
  }
  list.add(
      in_ub(&instr.dst, Kind::kWrite, instr.dst.addr, repeats * static_cast<std::uint64_t>(step)));
  list_register(facts(instr.op).writes, Kind::kWrite, nullptr, list);
}

}  // namespace davsim::isa
