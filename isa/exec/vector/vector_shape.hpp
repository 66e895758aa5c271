// How the shape of a vector instruction follows from its operands and parameters. decode() computes
// it; who has a decoded instruction takes its shape from there.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "isa/instr/instr.hpp"
#include "isa/instr/vector_shape.hpp"
#include "isa/instr/vector_types.hpp"

namespace davsim::isa {

namespace vector_shape_detail {

/// An operand of `lanes` lanes a DataBlock; pitches in bytes.
inline VectorOperandShape placed(const Operand& operand, std::uint32_t block_pitch,
                                 std::uint32_t repeat_pitch, std::uint32_t lanes,
                                 std::uint32_t element_bytes,
                                 std::uint32_t block_bytes = kBlockBytes) {
  return {static_cast<std::uint32_t>(operand.addr),
          block_pitch,
          repeat_pitch,
          static_cast<std::uint16_t>(lanes),
          static_cast<std::uint8_t>(element_bytes),
          static_cast<std::uint8_t>(block_bytes)};
}

inline VectorOperandShape operand_shape(const Operand& operand, BlockStride stride) {
  const auto bits = static_cast<std::uint32_t>(dtype_bits(operand.type));
  return placed(operand, stride.block * kBlockBytes, stride.repeat * kBlockBytes,
                kBlockBytes * 8 >> std::countr_zero(bits), std::max(bits / 8, 1u));
}

/// The destination of a reduction: the results of a repeat lie side by side, so that a DataBlock
/// of them stands for many lanes of the source.
inline VectorOperandShape result_shape(Opcode op, const Operand& operand,
                                       const VectorParams& params) {
  if (params.accumulate) return {};
  const auto bytes = static_cast<std::uint32_t>(dtype_bytes(operand.type));
  const std::uint32_t result = result_bytes(op, params.order, bytes);
  const std::uint32_t repeat = results_per_repeat(op, bytes) * result;
  return placed(operand, kBlockBytes, params.dst.repeat * repeat,
                kBlockBytes / result * lanes_per_result(op, bytes), bytes,
                std::min(repeat, kBlockBytes));
}

/// The source of Brcb: eight consecutive elements a repeat, whatever the strides.
inline VectorOperandShape brcb_source(const Operand& operand) {
  const auto bytes = static_cast<std::uint32_t>(dtype_bytes(operand.type));
  const std::uint32_t repeat = kBlocksPerRepeat * bytes;
  return placed(operand, 0, repeat, kRepeatBytes >> std::countr_zero(bytes), bytes, repeat);
}

/// A tensor of one bit a lane, the bits of the repeats one behind the other.
inline VectorOperandShape bits_shape(const Operand& operand, std::uint32_t lanes) {
  return placed(operand, 0, lanes / 8, kBlockBytes * 8, 1, lanes / 8);
}

/// A tensor of one bit a lane whose repeats are apart from each other.
inline VectorOperandShape keep_bits_shape(const Operand& operand, BlockStride stride) {
  return placed(operand, kBlockBytes, stride.repeat * kBlockBytes, kBlockBytes * 8, 1);
}

/// The tensor that CMPMASK is set from or written to.
inline VectorOperandShape cmp_mask_shape(const Operand& operand) {
  return placed(operand, 0, 0, 128, 2, 16);
}

/// Offsets of Gather (a lane each) or Gatherb (a block each): `per_repeat` of them a repeat. They
/// count as wide as the elements, which set the pace.
inline VectorOperandShape offsets_shape(const Instr& instr, std::uint32_t per_repeat) {
  constexpr std::uint32_t kOffsetBytes = 4;
  const auto bytes = static_cast<std::uint32_t>(dtype_bytes(instr.dst.type));
  const std::uint32_t lanes = kRepeatBytes >> std::countr_zero(bytes);
  return placed(instr.src0, kBlockBytes, per_repeat * kOffsetBytes,
                kBlockBytes / kOffsetBytes * (lanes / per_repeat), bytes);
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
  to.lanes_per_repeat = to.last_lanes = last;
  to.repeats = last == 0 ? 0 : params.repeats;
  if (!is_prefix(low, high)) {
    to.masked_lanes = static_cast<std::uint32_t>(std::popcount(low) + std::popcount(high));
  }
}

/// Counter mode: mask[0] lanes in all, in as many repeats as they need.
inline void set_counter_repeats(VectorRepeats& to, const VectorParams& params,
                                std::uint32_t lanes) {
  const std::uint64_t count = std::min<std::uint64_t>(params.mask[0], UINT32_MAX);
  to.repeats = static_cast<std::uint32_t>((count + lanes - 1) >> std::countr_zero(lanes));
  to.lanes_per_repeat = lanes;
  to.last_lanes = count == 0 ? 0 : static_cast<std::uint32_t>((count - 1) & (lanes - 1)) + 1;
}

/// Copy and GatherMask in counter mode: mask[0] lanes in every repeat, however many blocks that is,
/// and `repeats` counts.
inline void set_copy_counter_repeats(VectorRepeats& to, const VectorParams& params) {
  const auto count =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(params.mask[0], UINT32_MAX));
  to.repeats = count == 0 ? 0 : params.repeats;
  to.lanes_per_repeat = to.last_lanes = count;
}

/// CastDequant writes the results of one DataBlock into half of another.
inline void halve_blocks(VectorOperandShape& dst, bool upper) {
  dst.lanes_per_block = static_cast<std::uint16_t>(dst.lanes_per_block / 2);
  dst.block_bytes = static_cast<std::uint8_t>(dst.block_bytes / 2);
  if (upper) dst.addr += dst.block_bytes;
}

/// Repeats of up to `lanes` lanes.
inline void set_repeats(VectorRepeats& to, Opcode op, const VectorParams& params,
                        std::uint32_t lanes) {
  if (params.mask_mode == MaskMode::kNormal) return set_normal_repeats(to, params, lanes);
  if (facts(op).counts_each_repeat) {
    return set_copy_counter_repeats(to, params);
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

/// The shape of a record that carries VectorParams and whose element types exist for its opcode.
inline VectorShape vector_shape(const Instr& instr) {
  namespace detail = vector_shape_detail;
  const auto& params = std::get<VectorParams>(instr.params);
  // Built where they stay: a host stalls when it copies what it has just written in parts.
  const OpcodeFacts& row = facts(instr.op);
  VectorShape shape{{},
                    detail::shape_of(row.dst, instr, params, instr.dst, params.dst),
                    detail::shape_of(row.src0, instr, params, instr.src0, params.src0),
                    detail::shape_of(row.src1, instr, params, instr.src1, params.src1)};
  detail::set_repeats(shape, instr.op, params, shape.step_lanes());
  return shape;
}

}  // namespace davsim::isa
