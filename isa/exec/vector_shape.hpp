// Which bytes of UB a vector instruction touches, step by step: shared by its meaning (isa/exec/)
// and by the model of UB's banks (sim/).
//
// A vector instruction advances in repeats of up to 256 bytes of its widest operand. A repeat has
// 256 / (bytes of that element) lanes; a DataBlock of an operand holds 32 / (bytes of its element)
// of them, so a narrower operand uses fewer blocks of each repeat.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "isa/exec/vector_types.hpp"
#include "isa/instr/instr.hpp"

namespace davsim::isa {

/// Where one operand's DataBlocks lie.
struct VectorOperandShape {
  bool used = false;
  std::uint32_t element_bytes = 0;
  std::uint32_t lanes_per_block = 0;
  std::uint64_t addr = 0;          ///< byte offset in UB of block 0 of repeat 0
  std::uint64_t block_pitch = 0;   ///< bytes from block to block of a repeat
  std::uint64_t repeat_pitch = 0;  ///< bytes from repeat to repeat

  /// Block of its repeat in which lane `lane` lies. A shift, because blocks hold 4 to 32 lanes.
  std::uint32_t block_of(std::uint32_t lane) const {
    return lane >> std::countr_zero(lanes_per_block);
  }
  /// Byte offset in UB of block `block` of repeat `repeat`.
  std::uint64_t block_addr(std::uint64_t repeat, std::uint64_t block) const {
    return addr + repeat * repeat_pitch + block * block_pitch;
  }
};

struct VectorShape {
  std::uint32_t repeats = 0;           ///< 0: the instruction does nothing
  std::uint32_t lanes_per_repeat = 0;  ///< up to the last one that the mask lets through
  std::uint32_t last_lanes = 0;        ///< the same of the last repeat: fewer in counter mode
  std::uint64_t lanes = 0;             ///< lanes computed by the whole instruction
  /// Steps of 256 bytes of the widest operand: what the vector unit takes a beat each for. Equal to
  /// `repeats` but for Copy in counter mode, whose repeats may be longer.
  std::uint64_t steps = 0;
  /// Mask of every repeat, a bit a lane. Where `prefix`, the lanes are the first ones and the mask
  /// need not be looked at.
  std::array<std::uint64_t, 2> mask = {};
  bool prefix = true;
  VectorOperandShape dst, src0, src1;

  /// Lanes of a repeat up to the last one that is computed.
  std::uint32_t lanes_of(std::uint32_t repeat) const {
    return repeat + 1 == repeats ? last_lanes : lanes_per_repeat;
  }
  /// DataBlocks of `operand` that hold those lanes.
  std::uint32_t blocks_of(const VectorOperandShape& operand, std::uint32_t repeat) const {
    return operand.block_of(lanes_of(repeat) + operand.lanes_per_block - 1u);
  }
  bool lane_active(std::uint32_t lane) const {
    return prefix || (mask[lane / 64] >> (lane % 64) & 1u) != 0;
  }
};

namespace vector_shape_detail {

inline void set_operand(VectorOperandShape& shape, const Operand& operand, BlockStride stride) {
  shape.used = true;
  shape.element_bytes = static_cast<std::uint32_t>(dtype_bytes(operand.type));
  shape.lanes_per_block = kBlockBytes >> std::countr_zero(shape.element_bytes);
  shape.addr = operand.addr;
  shape.block_pitch = std::uint64_t{stride.block} * kBlockBytes;
  shape.repeat_pitch = std::uint64_t{stride.repeat} * kBlockBytes;
}

/// True if the bits of the mask that are set are the lowest ones.
inline bool is_prefix(std::uint64_t low, std::uint64_t high) {
  const auto ones_then_zeros = [](std::uint64_t word) { return (word & (word + 1)) == 0; };
  return high == 0 ? ones_then_zeros(low) : low == ~std::uint64_t{0} && ones_then_zeros(high);
}

/// Normal mode: the same lanes in every repeat, as many as the mask has bits.
inline void set_normal_mask(VectorShape& shape, const VectorParams& params, std::uint32_t lanes) {
  shape.mask = params.mask;
  if (lanes <= 64) {
    shape.mask[1] = 0;
    if (lanes < 64) shape.mask[0] &= (std::uint64_t{1} << lanes) - 1;
  }
  const auto [low, high] = shape.mask;
  const std::uint32_t last = high != 0 ? 128u - static_cast<std::uint32_t>(std::countl_zero(high))
                                       : 64u - static_cast<std::uint32_t>(std::countl_zero(low));
  shape.prefix = is_prefix(low, high);
  const std::uint32_t active =
      shape.prefix ? last : static_cast<std::uint32_t>(std::popcount(low) + std::popcount(high));
  shape.repeats = active == 0 ? 0 : params.repeats;
  shape.lanes_per_repeat = shape.last_lanes = last;
  shape.lanes = std::uint64_t{active} * shape.repeats;
  shape.steps = shape.repeats;
}

/// Counter mode: mask[0] lanes in all, in as many repeats of `lanes` (a power of two) as they need.
inline void set_counter_mask(VectorShape& shape, const VectorParams& params, std::uint32_t lanes) {
  const std::uint64_t count = std::min<std::uint64_t>(params.mask[0], UINT32_MAX);
  shape.repeats = static_cast<std::uint32_t>((count + lanes - 1) >> std::countr_zero(lanes));
  shape.lanes_per_repeat = lanes;
  shape.last_lanes = count == 0 ? 0 : static_cast<std::uint32_t>((count - 1) & (lanes - 1)) + 1;
  shape.lanes = count;
  shape.steps = shape.repeats;
}

/// Copy in counter mode: mask[0] lanes in every repeat, however many blocks that is, and `repeats`
/// counts.
inline void set_copy_counter_mask(VectorShape& shape, const VectorParams& params,
                                  std::uint32_t lanes) {
  const auto count =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(params.mask[0], UINT32_MAX));
  shape.repeats = count == 0 ? 0 : params.repeats;
  shape.lanes_per_repeat = shape.last_lanes = count;
  shape.lanes = std::uint64_t{count} * shape.repeats;
  shape.steps = ((std::uint64_t{count} + lanes - 1) >> std::countr_zero(lanes)) * shape.repeats;
}

}  // namespace vector_shape_detail

/// The shape of a record that carries VectorParams and whose element types exist for its opcode
/// (validate() has seen it).
inline VectorShape vector_shape(const Instr& instr) {
  namespace detail = vector_shape_detail;
  const auto& params = std::get<VectorParams>(instr.params);
  const VectorOperands operands = vector_operands(instr.op);
  VectorShape shape;
  detail::set_operand(shape.dst, instr.dst, params.dst);
  if (operands.src0) detail::set_operand(shape.src0, instr.src0, params.src0);
  if (operands.src1) detail::set_operand(shape.src1, instr.src1, params.src1);
  const std::uint32_t widest =
      std::max({shape.dst.element_bytes, shape.src0.element_bytes, shape.src1.element_bytes});
  const std::uint32_t lanes = kRepeatBytes >> std::countr_zero(widest);
  if (params.mask_mode == MaskMode::kNormal) {
    detail::set_normal_mask(shape, params, lanes);
  } else if (instr.op == Opcode::kCopyUbToUb) {
    detail::set_copy_counter_mask(shape, params, lanes);
  } else {
    detail::set_counter_mask(shape, params, lanes);
  }
  return shape;
}

}  // namespace davsim::isa
