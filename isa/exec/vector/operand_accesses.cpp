#include "isa/exec/vector/operand_accesses.hpp"

#include <algorithm>

namespace davsim::isa {
namespace {

bool is_block_aligned(const Access& access) {
  return (access.addr | static_cast<std::uint64_t>(access.pitch) |
          static_cast<std::uint64_t>(access.group_pitch)) %
             kBlockBytes ==
         0;
}

}  // namespace

Access in_ub(const Operand* operand, Access::Kind kind, std::uint64_t addr, std::uint64_t bytes) {
  Access access;
  access.space = Space::kUb;
  access.kind = kind;
  access.operand = operand;
  access.addr = addr;
  access.bytes = bytes;
  return access;
}

void OperandAccesses::add(Kind kind) {
  if (!shape_.used() || repeats_.repeats == 0) return;
  if (!repeats_.prefix()) return add_masked(kind);
  const std::uint32_t last = repeats_.repeats - 1;
  if (repeats_.lanes_per_repeat == repeats_.last_lanes) {
    add_lanes(kind, 0, repeats_.repeats, repeats_.last_lanes);
  } else {
    add_lanes(kind, 0, last, repeats_.lanes_per_repeat);
    add_lanes(kind, last, 1, repeats_.last_lanes);
  }
}

void OperandAccesses::add_bits(Kind kind) {
  if (!shape_.used() || repeats_.repeats == 0) return;
  Access access = in_ub(&operand_, kind, shape_.addr, shape_.block_bytes);
  access.rows = repeats_.repeats - 1;
  access.pitch = shape_.repeat_pitch;
  list_.add(access);
  access.addr = shape_.block_addr(repeats_.repeats - 1, 0);
  access.bytes = (repeats_.last_lanes + 7) / 8;
  access.rows = 1;
  list_.add(access);
}

void OperandAccesses::add_whole(Kind kind) {
  if (!shape_.used() || repeats_.repeats == 0) return;
  Access access = in_ub(&operand_, kind, shape_.addr, shape_.block_bytes);
  access.rows = repeats_.repeats;
  access.pitch = shape_.repeat_pitch;
  access.unit = shape_.block_bytes;
  list_.add(access);
}

/// The first `lanes` lanes of `count` repeats: whole blocks, and what is left of the last one.
void OperandAccesses::add_lanes(Kind kind, std::uint32_t first, std::uint32_t count,
                                std::uint32_t lanes) {
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
std::uint64_t OperandAccesses::bytes_of(std::uint64_t lanes) const {
  return (lanes * shape_.block_bytes + shape_.lanes_per_block - 1u) / shape_.lanes_per_block;
}

/// A mask with holes: blocks of which the same bytes are touched are one access.
void OperandAccesses::add_masked(Kind kind) {
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
std::uint32_t OperandAccesses::touched_of(std::uint64_t block) const {
  const auto first = static_cast<std::uint32_t>(block * shape_.lanes_per_block);
  const std::uint32_t end =
      std::min(first + shape_.lanes_per_block, std::uint32_t{repeats_.lanes_per_repeat});
  std::uint32_t mask = 0;
  for (std::uint32_t lane = first; lane < end; ++lane) {
    if (!repeats_.lane_active(mask_, lane)) continue;
    const std::uint64_t from =
        std::uint64_t{lane - first} * shape_.block_bytes / shape_.lanes_per_block;
    const std::uint64_t to = bytes_of(lane - first + 1);
    mask |= static_cast<std::uint32_t>((std::uint64_t{1} << to) - (std::uint64_t{1} << from));
  }
  return mask;
}

void OperandAccesses::add_blocks(Kind kind, std::uint64_t first, std::uint64_t end,
                                 std::uint32_t mask) {
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

}  // namespace davsim::isa
