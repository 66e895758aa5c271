// Packing the lanes of a vector operand that does not lie packed, and putting results back under
// the mask.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "isa/instr/vector_shape.hpp"

namespace davsim::isa {

/// Lanes [first_lane, first_lane + lanes) of a repeat; first_lane begins a DataBlock of each
/// operand.
struct LaneStep {
  std::uint32_t repeat = 0;
  std::uint32_t first_lane = 0;
  std::uint32_t lanes = 0;
};

/// Byte of UB where the operand's lanes of a step begin.
inline std::uint64_t step_addr(const VectorOperandShape& operand, const LaneStep& step) {
  return operand.block_addr(step.repeat, operand.block_of(step.first_lane));
}

/// Whether the lanes of the step lie one behind the other.
inline bool contiguous(const VectorOperandShape& operand, const LaneStep& step) {
  return operand.block_pitch == operand.block_bytes || step.lanes <= operand.lanes_per_block;
}

/// A block, or the part of one that an operand touches. Nearly all are whole, which the compiler
/// copies in a register.
inline void copy_block(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  if (bytes == kBlockBytes) {
    std::memcpy(to, from, kBlockBytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

/// Whole blocks, which lie inside UB because operands and UB are made of whole blocks.
inline void pack_lanes(const std::byte* ub, const VectorOperandShape& operand, const LaneStep& step,
                       std::byte* stage) {
  const std::byte* from = ub + step_addr(operand, step);
  if (contiguous(operand, step)) {
    std::memcpy(stage, from, operand.bytes_of(step.lanes));
    return;
  }
  if (operand.block_pitch == 0 && operand.block_bytes == kBlockBytes) {
    // One block over and over, which need be read only once.
    std::byte block[kBlockBytes];
    std::memcpy(block, from, kBlockBytes);
    for (std::uint32_t lane = 0; lane < step.lanes; lane += operand.lanes_per_block) {
      std::memcpy(stage, block, kBlockBytes);
      stage += kBlockBytes;
    }
    return;
  }
  for (std::uint32_t lane = 0; lane < step.lanes; lane += operand.lanes_per_block) {
    copy_block(stage, from, operand.block_bytes);
    stage += operand.block_bytes;
    from += operand.block_pitch;
  }
}

/// The lanes of the step where they lie, or packed into `stage`.
inline const std::byte* packed_lanes(const std::byte* ub, const VectorOperandShape& operand,
                                     const LaneStep& step, std::byte* stage) {
  if (contiguous(operand, step)) return ub + step_addr(operand, step);
  pack_lanes(ub, operand, step, stage);
  return stage;
}

/// Copies the elements of a block whose bits are set.
template <class Element>
void copy_active(std::byte* to, const std::byte* from, std::uint64_t active) {
  for (; active != 0; active &= active - 1) {
    const std::size_t at = static_cast<std::size_t>(std::countr_zero(active)) * sizeof(Element);
    std::memcpy(to + at, from + at, sizeof(Element));
  }
}

/// The lanes of a block that the mask lets through, as bits.
inline void copy_lanes(const VectorOperandShape& dst, std::byte* to, const std::byte* from,
                       std::uint64_t active) {
  if (dst.lanes_per_block > dst.block_bytes) {
    // Two lanes share a byte. They are computed together or not at all.
    for (; active != 0; active &= active - 1) {
      const std::size_t at = static_cast<std::size_t>(std::countr_zero(active)) / 2;
      to[at] = from[at];
    }
    return;
  }
  switch (dst.element_bytes) {
    case 1:
      return copy_active<std::uint8_t>(to, from, active);
    case 2:
      return copy_active<std::uint16_t>(to, from, active);
    case 4:
      return copy_active<std::uint32_t>(to, from, active);
    default:
      return copy_active<std::uint64_t>(to, from, active);
  }
}

/// Writes packed lanes to the destination, those that the mask lets through.
inline void unpack_lanes(std::byte* ub, const VectorShape& shape, const LaneMask& mask,
                         const LaneStep& step, const std::byte* from) {
  const VectorOperandShape& dst = shape.dst;
  std::byte* block = ub + step_addr(dst, step);
  if (shape.prefix() && contiguous(dst, step)) {
    std::memcpy(block, from, dst.bytes_of(step.lanes));
    return;
  }
  for (std::uint32_t first = 0; first < step.lanes; first += dst.lanes_per_block) {
    const std::uint32_t here = std::min<std::uint32_t>(dst.lanes_per_block, step.lanes - first);
    if (shape.prefix()) {
      copy_block(block, from, dst.bytes_of(here));
    } else {
      copy_lanes(dst, block, from, shape.active_lanes(mask, step.first_lane + first, here));
    }
    from += dst.block_bytes;
    block += dst.block_pitch;
  }
}

}  // namespace davsim::isa
