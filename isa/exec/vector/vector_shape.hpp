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

#include "isa/instr/instr.hpp"
#include "isa/instr/vector_types.hpp"

namespace davsim::isa {

/// Where one operand's DataBlocks lie.
struct VectorOperandShape {
  std::uint64_t addr = 0;           ///< byte offset in UB of block 0 of repeat 0
  std::uint32_t block_pitch = 0;    ///< bytes from block to block of a repeat
  std::uint32_t repeat_pitch = 0;   ///< bytes from repeat to repeat
  std::uint16_t element_bytes = 0;  ///< 1 for int4
  std::uint16_t lanes_per_block = 0;
  bool used = false;
  std::uint16_t align = kBlockBytes;        ///< what `addr` must be a multiple of
  std::uint16_t block_bytes = kBlockBytes;  ///< touched of each block: half of it in CastDequant

  /// Block of its repeat in which lane `lane` lies. A shift, because blocks hold 4 to 64 lanes.
  std::uint64_t block_of(std::uint64_t lane) const {
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): does not know of the shift
    return lane >> std::countr_zero(std::uint32_t{lanes_per_block});
  }
  /// Bytes that `lanes` lanes fill where blocks follow each other without gap.
  std::uint64_t bytes_of(std::uint64_t lanes) const {
    return lanes * block_bytes >> std::countr_zero(std::uint32_t{lanes_per_block});
  }
  /// Byte offset in UB of block `block` of repeat `repeat`.
  std::uint64_t block_addr(std::uint64_t repeat, std::uint64_t block) const {
    return addr + offset(repeat, block);
  }
  /// The same from the operand's start.
  std::uint64_t offset(std::uint64_t repeat, std::uint64_t block) const {
    return repeat * repeat_pitch + block * block_pitch;
  }
};

/// The repeats of an instruction and their lanes.
struct VectorRepeats {
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

  /// Lanes of a repeat up to the last one that is computed.
  std::uint32_t lanes_of(std::uint32_t repeat) const {
    return repeat + 1 == repeats ? last_lanes : lanes_per_repeat;
  }
  /// DataBlocks of `operand` that hold those lanes.
  std::uint64_t blocks_of(const VectorOperandShape& operand, std::uint32_t repeat) const {
    return operand.block_of(std::uint64_t{lanes_of(repeat)} + operand.lanes_per_block - 1);
  }
  bool lane_active(std::uint32_t lane) const {
    return prefix || (mask[lane / 64] >> (lane % 64) & 1u) != 0;
  }
};

struct VectorShape : VectorRepeats {
  VectorOperandShape dst, src0, src1;
};

namespace vector_shape_detail {

inline VectorOperandShape operand_shape(const Operand& operand, BlockStride stride) {
  const auto bits = static_cast<std::uint32_t>(dtype_bits(operand.type));
  return {operand.addr,
          stride.block * kBlockBytes,
          stride.repeat * kBlockBytes,
          static_cast<std::uint16_t>(std::max(bits / 8, 1u)),
          static_cast<std::uint16_t>(kBlockBytes * 8 >> std::countr_zero(bits)),
          true};
}

/// The destination of a reduction: the results of a repeat lie side by side, so that a DataBlock
/// of them stands for many lanes of the source.
inline VectorOperandShape result_shape(Opcode op, const Operand& operand,
                                       const VectorParams& params) {
  if (params.accumulate) return {};
  const auto bytes = static_cast<std::uint32_t>(dtype_bytes(operand.type));
  const std::uint32_t result = result_bytes(op, params.order, bytes);
  const std::uint32_t repeat = results_per_repeat(op, bytes) * result;
  const std::uint32_t block = std::min(repeat, kBlockBytes);
  return {operand.addr,
          kBlockBytes,
          params.dst.repeat * repeat,
          static_cast<std::uint16_t>(bytes),
          static_cast<std::uint16_t>(kBlockBytes / result * lanes_per_result(op, bytes)),
          true,
          static_cast<std::uint16_t>(block),
          static_cast<std::uint16_t>(block)};
}

/// The source of Brcb: eight consecutive elements a repeat, whatever the strides.
inline VectorOperandShape brcb_source(const Operand& operand) {
  const auto bytes = static_cast<std::uint32_t>(dtype_bytes(operand.type));
  const std::uint32_t repeat = kBlocksPerRepeat * bytes;
  return {operand.addr,
          0,
          repeat,
          static_cast<std::uint16_t>(bytes),
          static_cast<std::uint16_t>(kRepeatBytes >> std::countr_zero(bytes)),
          true,
          kBlockBytes,
          static_cast<std::uint16_t>(repeat)};
}

/// A tensor of one bit a lane, the bits of the repeats one behind the other.
inline VectorOperandShape bits_shape(const Operand& operand, std::uint32_t lanes) {
  return {operand.addr,    0,    lanes / 8,   1,
          kBlockBytes * 8, true, kBlockBytes, static_cast<std::uint16_t>(lanes / 8)};
}

/// A tensor of one bit a lane whose repeats are apart from each other.
inline VectorOperandShape keep_bits_shape(const Operand& operand, BlockStride stride) {
  return {operand.addr, kBlockBytes, stride.repeat * kBlockBytes, 1, kBlockBytes * 8, true};
}

/// The tensor that CMPMASK is set from or written to.
inline VectorOperandShape cmp_mask_shape(const Operand& operand) {
  constexpr std::uint16_t kBytes = 16;
  return {operand.addr, 0, 0, 2, 128, true, kBytes, kBytes};
}

/// Offsets of Gather (a lane each) or Gatherb (a block each): `per_repeat` of them a repeat. They
/// count as wide as the elements, which set the pace.
inline VectorOperandShape offsets_shape(const Instr& instr, std::uint32_t per_repeat) {
  constexpr std::uint32_t kOffsetBytes = 4;
  const auto bytes = static_cast<std::uint32_t>(dtype_bytes(instr.dst.type));
  const std::uint32_t lanes = kRepeatBytes >> std::countr_zero(bytes);
  return {instr.src0.addr,
          kBlockBytes,
          per_repeat * kOffsetBytes,
          static_cast<std::uint16_t>(bytes),
          static_cast<std::uint16_t>(kBlockBytes / kOffsetBytes * (lanes / per_repeat)),
          true};
}

/// True if the bits of the mask that are set are the lowest ones.
inline bool is_prefix(std::uint64_t low, std::uint64_t high) {
  const auto ones_then_zeros = [](std::uint64_t word) { return (word & (word + 1)) == 0; };
  return high == 0 ? ones_then_zeros(low) : low == ~std::uint64_t{0} && ones_then_zeros(high);
}

/// Normal mode: the same lanes in every repeat, as many as the mask has bits. A whole repeat has
/// `lanes`, a power of two.
inline void set_normal_repeats(VectorRepeats& to, const VectorParams& params, std::uint32_t lanes) {
  std::uint64_t low = params.mask[0], high = lanes > 64 ? params.mask[1] : 0;
  if (lanes < 64) low &= (std::uint64_t{1} << lanes) - 1;
  const std::uint32_t last = high != 0 ? 128u - static_cast<std::uint32_t>(std::countl_zero(high))
                                       : 64u - static_cast<std::uint32_t>(std::countl_zero(low));
  const bool prefix = is_prefix(low, high);
  const std::uint32_t active =
      prefix ? last : static_cast<std::uint32_t>(std::popcount(low) + std::popcount(high));
  const std::uint32_t repeats = active == 0 ? 0 : params.repeats;
  to.lanes_per_repeat = to.last_lanes = last;
  to.lanes = std::uint64_t{active} * repeats;
  to.steps = to.repeats = repeats;
  to.mask[0] = low;
  to.mask[1] = high;
  to.prefix = prefix;
}

/// Counter mode: mask[0] lanes in all, in as many repeats as they need.
inline void set_counter_repeats(VectorRepeats& to, const VectorParams& params,
                                std::uint32_t lanes) {
  const std::uint64_t count = std::min<std::uint64_t>(params.mask[0], UINT32_MAX);
  const auto repeats = static_cast<std::uint32_t>((count + lanes - 1) >> std::countr_zero(lanes));
  const std::uint32_t last =
      count == 0 ? 0 : static_cast<std::uint32_t>((count - 1) & (lanes - 1)) + 1;
  to.lanes_per_repeat = lanes;
  to.last_lanes = last;
  to.lanes = count;
  to.steps = to.repeats = repeats;
}

/// Copy and GatherMask in counter mode: mask[0] lanes in every repeat, however many blocks that is,
/// and `repeats` counts.
inline void set_copy_counter_repeats(VectorRepeats& to, const VectorParams& params,
                                     std::uint32_t lanes) {
  const auto count =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(params.mask[0], UINT32_MAX));
  const std::uint32_t repeats = count == 0 ? 0 : params.repeats;
  const std::uint64_t steps = (std::uint64_t{count} + lanes - 1) >> std::countr_zero(lanes);
  to.repeats = repeats;
  to.lanes_per_repeat = to.last_lanes = count;
  to.lanes = std::uint64_t{count} * repeats;
  to.steps = steps * repeats;
}

/// CastDequant writes the results of one DataBlock into half of another.
inline void halve_blocks(VectorOperandShape& dst, bool upper) {
  dst.lanes_per_block /= 2;
  dst.block_bytes /= 2;
  if (upper) dst.addr += dst.block_bytes;
}

/// Repeats of up to `lanes` lanes.
inline void set_repeats(VectorRepeats& to, Opcode op, const VectorParams& params,
                        std::uint32_t lanes) {
  if (params.mask_mode == MaskMode::kNormal) return set_normal_repeats(to, params, lanes);
  if (facts(op).counts_each_repeat) {
    return set_copy_counter_repeats(to, params, lanes);
  }
  set_counter_repeats(to, params, lanes);
}

/// Lanes of a repeat of elements of `type`.
inline std::uint32_t lanes_of_type(DType type) {
  return kRepeatBytes >> std::countr_zero(static_cast<std::uint32_t>(dtype_bytes(type)));
}

/// Where an operand lies that its opcode's row gives the form `form`.
inline VectorOperandShape shape_of(Form form, const Instr& instr, const VectorParams& params,
                                   const Operand& operand, BlockStride stride) {
  switch (form) {
    case Form::kLanes:
      return operand_shape(operand, stride);
    case Form::kHalfBlocks: {
      VectorOperandShape half = operand_shape(operand, stride);
      halve_blocks(half, params.upper_half);
      return half;
    }
    case Form::kResults:
      return result_shape(instr.op, operand, params);
    case Form::kLanesOrBits:
      if (params.select != SelectMode::kTensorScalar) return operand_shape(operand, stride);
      [[fallthrough]];
    case Form::kBits:
      return bits_shape(operand, lanes_of_type(instr.src0.type));
    case Form::kKeepBits:
      return params.pattern == 0 ? keep_bits_shape(operand, stride) : VectorOperandShape{};
    case Form::kMaskBytes:
      return cmp_mask_shape(operand);
    case Form::kEights:
      return brcb_source(operand);
    case Form::kOffsets:
      return offsets_shape(instr, lanes_of_type(instr.dst.type));
    case Form::kBlockOffsets:
      return offsets_shape(instr, kBlocksPerRepeat);
    default:  // absent, or where it lies depends on what is in memory
      return {};
  }
}

}  // namespace vector_shape_detail

/// The shape of a record that carries VectorParams and whose element types exist for its opcode
/// (validate() has seen it).
inline VectorShape vector_shape(const Instr& instr) {
  namespace detail = vector_shape_detail;
  const auto& params = std::get<VectorParams>(instr.params);
  // Built where they stay: a host stalls when it copies what it has just written in parts.
  const OpcodeFacts& row = facts(instr.op);
  VectorShape shape{{},
                    detail::shape_of(row.dst, instr, params, instr.dst, params.dst),
                    detail::shape_of(row.src0, instr, params, instr.src0, params.src0),
                    detail::shape_of(row.src1, instr, params, instr.src1, params.src1)};
  const std::uint32_t widest =
      std::max({shape.dst.element_bytes, shape.src0.element_bytes, shape.src1.element_bytes});
  detail::set_repeats(shape, instr.op, params, kRepeatBytes >> std::countr_zero(widest));
  return shape;
}

}  // namespace davsim::isa
