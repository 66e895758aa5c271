// The bytes of UB and of the vector unit's registers that vector instructions touch.
#include <bit>
#include <cstring>
#include <vector>

#include "isa/core/registers.hpp"
#include "isa/exec/accesses.hpp"
#include "isa/exec/vector/keep_pattern.hpp"
#include "isa/exec/vector/operand_accesses.hpp"
#include "isa/exec/vector/sort.hpp"
#include "isa/exec/vector/transpose.hpp"
#include "isa/exec/vector/vector_dequant.hpp"
#include "isa/exec/vector/vector_shape.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

using Kind = Access::Kind;

/// The largest UB of any SoC of architecture 2201, in DataBlocks.

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
void list_gathered(const Instr& instr, const VectorShape& shape, const CoreMemory& memory,
                   AccessList& list) {
  const bool by_block = facts(instr.op).src0 == Form::kBlockOffsets;
  const std::uint64_t bytes = by_block ? kBlockBytes : dtype_bytes(instr.dst.type);
  const std::byte* ub = memory.at(Space::kUb, 0, 0);
  static thread_local BlockSet blocks;
  blocks.begin(memory.size(Space::kUb));
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    const std::uint32_t count = by_block ? kBlocksPerRepeat : shape.lanes_of(repeat);
    const std::byte* from = ub + shape.src0.block_addr(repeat, 0);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!by_block && !shape.lane_active(i)) continue;
      std::uint32_t offset = 0;
      std::memcpy(&offset, from + i * sizeof offset, sizeof offset);
      blocks.add(instr.src1.addr + offset, bytes);
    }
  }
  blocks.list(instr.src1, list);
}

/// Elements that a GatherMask keeps: what its pattern, or its tensor of bits, lets through.
std::uint64_t kept(const Instr& instr, const VectorShape& shape, const CoreMemory& memory) {
  const std::uint8_t pattern = std::get<VectorParams>(instr.params).pattern;
  std::uint64_t count = 0;
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    const std::uint32_t lanes = shape.lanes_of(repeat);
    if (pattern != 0) {
      count += pattern_of(pattern).kept(lanes);
      continue;
    }
    const std::byte* bits =
        memory.at(Space::kUb, shape.src1.block_addr(repeat, 0), (lanes + 7) / 8);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      count += std::to_integer<unsigned>(bits[lane / 8]) >> lane % 8 & 1u;
    }
  }
  return count;
}

/// The results of a reduction: those of a repeat lie side by side.
void list_results(const Instr& instr, const VectorShape& shape, AccessList& list) {
  if (!shape.dst.used) return;
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

/// The bits whose address is in CMPMASK, where Select finds them that way.
void list_bits_of_cmp_mask(const Instr& instr, const VectorShape& shape, const CoreMemory& memory,
                           AccessList& list) {
  const SelectMode mode = std::get<VectorParams>(instr.params).select;
  if (facts(instr.op).src1 != Form::kLanesOrBits || mode != SelectMode::kTensorTensor) return;
  std::uint32_t addr = 0;
  std::memcpy(&addr, memory.at(Space::kSpr, kSprCmpMask, sizeof addr), sizeof addr);
  const std::uint64_t bytes = std::uint64_t{shape.repeats} * kRepeatBytes / shape.dst.element_bytes;
  if (memory.contains(Space::kUb, addr, bytes / 8)) {
    list.add(in_ub(nullptr, Kind::kRead, addr, bytes / 8));
  }
}

/// Reads of a source that lies in memory as `form` says.
void list_source(Form form, const Instr& instr, const VectorShape& shape, const Operand& operand,
                 const VectorOperandShape& where, const CoreMemory& memory, AccessList& list) {
  OperandAccesses source(shape, where, operand, list);
  switch (form) {
    case Form::kLanesOrBits:
      if (std::get<VectorParams>(instr.params).select == SelectMode::kTensorScalar) {
        return source.add_bits(Kind::kRead);
      }
      return source.add(Kind::kRead);
    case Form::kEights:  // eight elements at a time, whether there are as many or not
      return source.add_whole(Kind::kReadAround);
    case Form::kMaskBytes:
      return list.add(in_ub(&operand, Kind::kRead, operand.addr, kCmpMaskBytes));
    case Form::kGathered:
      return list_gathered(instr, shape, memory, list);
    case Form::kQuantWords:
      if (operand.space != Space::kUb) return;  // one word in place of a table
      return list.add(in_ub(nullptr, Kind::kRead, operand.addr, kDequantTableBytes));
    default:
      return source.add(Kind::kRead);
  }
}

void list_result(Form form, const Instr& instr, const VectorShape& shape, const CoreMemory& memory,
                 AccessList& list) {
  OperandAccesses dst(shape, shape.dst, instr.dst, list);
  switch (form) {
    case Form::kResults:
      return list_results(instr, shape, list);
    case Form::kBits:
      return dst.add_whole(Kind::kWrite);
    case Form::kMaskBytes:
      return list.add(in_ub(&instr.dst, Kind::kWrite, instr.dst.addr, kCmpMaskBytes));
    case Form::kKept:
      return list.add(in_ub(&instr.dst, Kind::kWrite, instr.dst.addr,
                            kept(instr, shape, memory) * dtype_bytes(instr.dst.type)));
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

void list_with_params(const Instr& instr, const CoreMemory& memory, AccessList& list) {
  const VectorShape shape = vector_shape(instr);
  if (shape.repeats == 0) return;
  const OpcodeFacts& row = facts(instr.op);
  const auto& params = std::get<VectorParams>(instr.params);
  list_register(row.reads, Kind::kRead, &params, list);
  list_bits_of_cmp_mask(instr, shape, memory, list);
  list_source(row.src0, instr, shape, instr.src0, shape.src0, memory, list);
  list_source(row.src1, instr, shape, instr.src1, shape.src1, memory, list);
  if (row.reads_dst) OperandAccesses(shape, shape.dst, instr.dst, list).add(Kind::kRead);
  list_result(row.dst, instr, shape, memory, list);
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

}  // namespace

void list_vector_accesses(const Instr& instr, const CoreMemory& memory, AccessList& list) {
  if (std::holds_alternative<VectorParams>(instr.params)) {
    list_with_params(instr, memory, list);
  } else if (const auto* transpose = std::get_if<TransposeParams>(&instr.params)) {
    list_transpose(instr, *transpose, list);
  } else if (const auto* sort = std::get_if<SortParams>(&instr.params)) {
    list_sort(instr, *sort, list);
  }
}

}  // namespace davsim::isa
