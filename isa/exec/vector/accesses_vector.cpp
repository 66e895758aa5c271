// The bytes of UB and of the vector unit's registers that vector instructions touch.
#include <bit>
#include <bitset>
#include <cstring>

#include "isa/core/registers.hpp"
#include "isa/exec/accesses.hpp"
#include "isa/exec/vector/sort.hpp"
#include "isa/exec/vector/transpose.hpp"
#include "isa/exec/vector/vector_dequant.hpp"
#include "isa/exec/vector/vector_shape.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

using Kind = Access::Kind;

/// The largest UB of any SoC of architecture 2201, in DataBlocks.
constexpr std::size_t kUbBlocks = 256 * 1024 / kBlockBytes;

Access in_ub(const Operand* operand, Kind kind, std::uint64_t addr, std::uint64_t bytes) {
  Access access;
  access.space = Space::kUb;
  access.kind = kind;
  access.operand = operand;
  access.addr = addr;
  access.bytes = bytes;
  return access;
}

void add_register(AccessList& list, Kind kind, std::uint64_t offset, std::uint64_t bytes) {
  Access access = in_ub(nullptr, kind, offset, bytes);
  access.space = Space::kSpr;
  list.add(access);
}

/// The accesses of one operand of a record with VectorParams.
class OperandAccesses {
 public:
  OperandAccesses(const VectorRepeats& repeats, const VectorOperandShape& shape,
                  const Operand& operand, AccessList& list)
      : repeats_(repeats), shape_(shape), operand_(operand), list_(list) {}

  void add(Kind kind) {
    if (!shape_.used || repeats_.repeats == 0) return;
    if (!repeats_.prefix) return add_masked(kind);
    const std::uint32_t last = repeats_.repeats - 1;
    if (repeats_.lanes_per_repeat == repeats_.last_lanes) {
      add_lanes(kind, 0, repeats_.repeats, repeats_.last_lanes);
    } else {
      add_lanes(kind, 0, last, repeats_.lanes_per_repeat);
      add_lanes(kind, last, 1, repeats_.last_lanes);
    }
  }

  /// A bit a lane, those of a repeat behind those of the one before.
  void add_bits(Kind kind) {
    if (!shape_.used || repeats_.repeats == 0) return;
    Access access = in_ub(&operand_, kind, shape_.addr, shape_.block_bytes);
    access.rows = repeats_.repeats - 1;
    access.pitch = shape_.repeat_pitch;
    list_.add(access);
    access.addr = shape_.block_addr(repeats_.repeats - 1, 0);
    access.bytes = (repeats_.last_lanes + 7) / 8;
    access.rows = 1;
    list_.add(access);
  }

  /// The same stretch of `bytes` for every repeat, whatever the mask.
  void add_whole(Kind kind, std::uint64_t bytes) {
    if (!shape_.used || repeats_.repeats == 0) return;
    Access access = in_ub(&operand_, kind, shape_.addr, bytes);
    access.rows = repeats_.repeats;
    access.pitch = shape_.repeat_pitch;
    access.unit = bytes;
    list_.add(access);
  }

 private:
  /// The first `lanes` lanes of `count` repeats: whole blocks, and what is left of the last one.
  void add_lanes(Kind kind, std::uint32_t first, std::uint32_t count, std::uint32_t lanes) {
    const std::uint64_t blocks = shape_.block_of(lanes);
    const std::uint64_t rest = lanes - blocks * shape_.lanes_per_block;
    const bool dense = shape_.block_pitch == shape_.block_bytes;
    Access access = in_ub(&operand_, kind, shape_.block_addr(first, 0), 0);
    access.groups = count;
    access.group_pitch = shape_.repeat_pitch;
    if (dense) {
      access.bytes = bytes_of(lanes);
      list_.add(access);
      return;
    }
    access.bytes = shape_.block_bytes;
    access.rows = blocks;
    access.pitch = shape_.block_pitch;
    list_.add(access);
    access.addr = shape_.block_addr(first, blocks);
    access.rows = 1;
    access.bytes = bytes_of(rest);
    list_.add(access);
  }

  /// Bytes of so many lanes from the start of a block; bits are rounded up to bytes.
  std::uint64_t bytes_of(std::uint64_t lanes) const {
    return (lanes * shape_.block_bytes + shape_.lanes_per_block - 1u) / shape_.lanes_per_block;
  }

  /// A mask with holes: blocks of which the same bytes are touched are one access.
  void add_masked(Kind kind) {
    const std::uint64_t blocks = repeats_.blocks_of(shape_, 0);
    for (std::uint64_t block = 0; block < blocks;) {
      const std::uint32_t mask = touched_of(block);
      std::uint64_t end = block + 1;
      while (end < blocks && touched_of(end) == mask) ++end;
      if (mask != 0) add_blocks(kind, block, end, mask);
      block = end;
    }
  }

  /// Bytes of a block that active lanes touch, a bit a byte; lanes of bits are rounded up.
  std::uint32_t touched_of(std::uint64_t block) const {
    const auto first = static_cast<std::uint32_t>(block * shape_.lanes_per_block);
    const std::uint32_t end =
        std::min(first + shape_.lanes_per_block, std::uint32_t{repeats_.lanes_per_repeat});
    std::uint32_t mask = 0;
    for (std::uint32_t lane = first; lane < end; ++lane) {
      if (!repeats_.lane_active(lane)) continue;
      const std::uint64_t from =
          std::uint64_t{lane - first} * shape_.block_bytes / shape_.lanes_per_block;
      const std::uint64_t to = bytes_of(lane - first + 1);
      mask |= static_cast<std::uint32_t>((std::uint64_t{1} << to) - (std::uint64_t{1} << from));
    }
    return mask;
  }

  void add_blocks(Kind kind, std::uint64_t first, std::uint64_t end, std::uint32_t mask) {
    Access access = in_ub(&operand_, kind, shape_.block_addr(0, first), kBlockBytes);
    access.rows = end - first;
    access.pitch = shape_.block_pitch;
    access.groups = repeats_.repeats;
    access.group_pitch = shape_.repeat_pitch;
    if (mask == Access::kWholeBlocks || is_block_aligned(access)) {
      access.block_mask = mask;
      return list_.add(access);
    }
    Access::for_each_ones(mask, [&](unsigned bit, unsigned ones) {
      Access run = access;
      run.addr += bit;
      run.bytes = ones;
      list_.add(run);
    });
  }

  static bool is_block_aligned(const Access& access) {
    return (access.addr | static_cast<std::uint64_t>(access.pitch) |
            static_cast<std::uint64_t>(access.group_pitch)) %
               kBlockBytes ==
           0;
  }

  const VectorRepeats& repeats_;
  const VectorOperandShape& shape_;
  const Operand& operand_;
  AccessList& list_;
};

/// DataBlocks of UB, gathered one by one and read as runs.
class BlockSet {
 public:
  void add(std::uint64_t addr, std::uint64_t bytes) {
    const std::uint64_t end = std::min<std::uint64_t>(kUbBlocks * kBlockBytes, addr + bytes);
    for (std::uint64_t at = addr / kBlockBytes; at * kBlockBytes < end; ++at) blocks_.set(at);
  }
  void list(const Operand& operand, AccessList& list) const {
    for (std::size_t from = 0; from < kUbBlocks;) {
      if (!blocks_[from]) {
        ++from;
        continue;
      }
      std::size_t to = from;
      while (to < kUbBlocks && blocks_[to]) ++to;
      Access access =
          in_ub(&operand, Kind::kReadAround, from * kBlockBytes, (to - from) * kBlockBytes);
      access.unit = kBlockBytes;
      list.add(access);
      from = to;
    }
  }

 private:
  std::bitset<kUbBlocks> blocks_;
};

/// Elements or blocks that the offsets in memory lead to, in whole DataBlocks.
void list_gathered(const Instr& instr, const VectorShape& shape, const CoreMemory& memory,
                   AccessList& list) {
  const bool by_block = instr.op == Opcode::kGatherb;
  const std::uint64_t bytes = by_block ? kBlockBytes : dtype_bytes(instr.dst.type);
  const std::byte* ub = memory.at(Space::kUb, 0, 0);
  static thread_local BlockSet blocks;
  blocks = {};
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
  constexpr std::uint8_t kAll = 7;
  const std::uint32_t period = pattern == kAll ? 1 : pattern <= 2 ? 2 : 4;
  const std::uint32_t first = pattern == kAll ? 0 : pattern <= 2 ? pattern - 1u : pattern - 3u;
  std::uint64_t count = 0;
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    const std::uint32_t lanes = shape.lanes_of(repeat);
    if (pattern != 0) {
      count += (lanes + period - 1 - first) / period;
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

void list_gather_mask(const Instr& instr, const VectorShape& shape, const CoreMemory& memory,
                      AccessList& list) {
  OperandAccesses(shape, shape.src0, instr.src0, list).add(Kind::kRead);
  OperandAccesses(shape, shape.src1, instr.src1, list).add(Kind::kRead);
  const std::uint64_t bytes = kept(instr, shape, memory) * dtype_bytes(instr.dst.type);
  list.add(in_ub(&instr.dst, Kind::kWrite, instr.dst.addr, bytes));
  add_register(list, Kind::kWrite, kSprRsvdCnt, 8);
}

void list_reduction(const Instr& instr, const VectorShape& shape, AccessList& list) {
  const auto& params = std::get<VectorParams>(instr.params);
  OperandAccesses(shape, shape.src0, instr.src0, list).add(Kind::kRead);
  const auto element = static_cast<std::uint32_t>(dtype_bytes(instr.src0.type));
  const std::uint32_t group = lanes_per_result(instr.op, element);
  const std::uint32_t result = result_bytes(instr.op, params.order, element);
  const auto add = [&](std::uint32_t first, std::uint32_t count, std::uint32_t lanes) {
    Access access = in_ub(&instr.dst, Kind::kWrite, shape.dst.block_addr(first, 0),
                          ceil_div(lanes, group) * result);
    access.rows = count;
    access.pitch = shape.dst.repeat_pitch;
    list.add(access);
  };
  if (shape.dst.used) {
    add(0, shape.repeats - 1, shape.lanes_per_repeat);
    add(shape.repeats - 1, 1, shape.last_lanes);
  }
  if (params.accumulate) {
    add_register(list, Kind::kWrite, kSprAccVal, 8);
  } else if (instr.op == Opcode::kReduceMax || instr.op == Opcode::kReduceMin) {
    add_register(list, Kind::kWrite, kSprMaxMinValue, 8);
  }
}

/// CMPMASK, and the bits that it leads to.
void list_select_bits(const Instr& instr, const VectorShape& shape, const CoreMemory& memory,
                      AccessList& list) {
  const SelectMode mode = std::get<VectorParams>(instr.params).select;
  add_register(list, Kind::kRead, kSprCmpMask, kCmpMaskBytes);
  if (mode != SelectMode::kTensorTensor) return;
  std::uint32_t addr = 0;
  std::memcpy(&addr, memory.at(Space::kSpr, kSprCmpMask, sizeof addr), sizeof addr);
  const std::uint64_t bytes = std::uint64_t{shape.repeats} * kRepeatBytes / shape.dst.element_bytes;
  if (memory.contains(Space::kUb, addr, bytes / 8)) {
    list.add(in_ub(nullptr, Kind::kRead, addr, bytes / 8));
  }
}

void list_with_params(const Instr& instr, const CoreMemory& memory, AccessList& list) {
  const VectorShape shape = vector_shape(instr);
  if (shape.repeats == 0) return;
  if (is_reduction(instr.op)) return list_reduction(instr, shape, list);
  OperandAccesses src0(shape, shape.src0, instr.src0, list);
  OperandAccesses src1(shape, shape.src1, instr.src1, list);
  OperandAccesses dst(shape, shape.dst, instr.dst, list);
  switch (instr.op) {
    case Opcode::kGatherMask:
      return list_gather_mask(instr, shape, memory, list);
    case Opcode::kCompare:
    case Opcode::kCompareScalar:
      src0.add(Kind::kRead);
      src1.add(Kind::kRead);
      return dst.add_whole(Kind::kWrite, shape.dst.block_bytes);
    case Opcode::kCompareToMask:
      src0.add(Kind::kRead);
      src1.add(Kind::kRead);
      return add_register(list, Kind::kWrite, kSprCmpMask, kCmpMaskBytes);
    case Opcode::kSetCmpMask:
      list.add(in_ub(&instr.src0, Kind::kRead, instr.src0.addr, kCmpMaskBytes));
      return add_register(list, Kind::kWrite, kSprCmpMask, kCmpMaskBytes);
    case Opcode::kGetCmpMask:
      add_register(list, Kind::kRead, kSprCmpMask, kCmpMaskBytes);
      return list.add(in_ub(&instr.dst, Kind::kWrite, instr.dst.addr, kCmpMaskBytes));
    case Opcode::kBrcb:
      // Eight elements at a time, whether there are as many or not.
      src0.add_whole(Kind::kReadAround, shape.src0.block_bytes);
      return dst.add(Kind::kWrite);
    case Opcode::kGather:
    case Opcode::kGatherb:
      src0.add(Kind::kRead);
      list_gathered(instr, shape, memory, list);
      return dst.add(Kind::kWrite);
    case Opcode::kCastDequant:
      if (instr.src1.space == Space::kUb) {
        list.add(in_ub(nullptr, Kind::kRead, instr.src1.addr, kDequantTableBytes));
      }
      break;
    case Opcode::kSelect:
      list_select_bits(instr, shape, memory, list);
      src0.add(Kind::kRead);
      if (std::get<VectorParams>(instr.params).select == SelectMode::kTensorScalar) {
        src1.add_bits(Kind::kRead);
      } else {
        src1.add(Kind::kRead);
      }
      return dst.add(Kind::kWrite);
    default:
      break;
  }
  src0.add(Kind::kRead);
  src1.add(Kind::kRead);
  if (vector_operands(instr.op).reads_dst) dst.add(Kind::kRead);
  dst.add(Kind::kWrite);
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
  if (instr.op == Opcode::kSort32) {
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
  add_register(list, Kind::kWrite, kSprMergeCounts, 8);
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
