// Which element types and rounding modes each vector instruction takes on NPU architecture 2201.
// The one list of them: the kernel API asserts it when a kernel is compiled, validate() checks it
// for every record.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "isa/instr/opcode.hpp"
#include "isa/instr/params.hpp"
#include "isa/numeric/dtype.hpp"

namespace davsim::isa {

/// Operands of a vector instruction, beside its scalar.
struct VectorOperands {
  bool src0 = false, src1 = false;
  bool reads_dst = false;  ///< the result is added to what the destination holds
};

constexpr VectorOperands vector_operands(Opcode op) {
  switch (op) {
    case Opcode::kMulAddDst:
    case Opcode::kFusedMulAdd:
    case Opcode::kMulAddRelu:
      return {true, true, true};
    case Opcode::kAxpy:
      return {true, false, true};
    case Opcode::kDuplicate:
    case Opcode::kGetCmpMask:
      return {};
    case Opcode::kCompare:
    case Opcode::kCompareToMask:
    case Opcode::kSelect:
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kDiv:
    case Opcode::kMax:
    case Opcode::kMin:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kAddRelu:
    case Opcode::kSubRelu:
    case Opcode::kAddReluCast:
    case Opcode::kSubReluCast:
    case Opcode::kMulCast:
    case Opcode::kAddDeqRelu:
      return {true, true, false};
    default:
      return {true, false, false};
  }
}

namespace vector_types_detail {

constexpr bool one_of(DType type, std::initializer_list<DType> list) {
  for (DType candidate : list) {
    if (type == candidate) return true;
  }
  return false;
}

/// Rounding modes as bits, the bit number being the enumerator's value.
inline constexpr unsigned kNoneOnly = 1u << static_cast<unsigned>(RoundMode::kNone);
inline constexpr unsigned kFiveModes = 0b0111110;  ///< kRint, kFloor, kCeil, kRound, kTrunc
inline constexpr unsigned kFiveOrNone = kFiveModes | kNoneOnly;
inline constexpr unsigned kWithOdd = kFiveOrNone | 1u << static_cast<unsigned>(RoundMode::kOdd);

/// Rounding modes of a Cast; 0 where the pair of types does not exist.
constexpr unsigned cast_modes(DType dst, DType src) {
  using D = DType;
  switch (src) {
    case D::kI4:
    case D::kI8:
    case D::kU8:
      return dst == D::kF16 ? kNoneOnly : 0;
    case D::kI16:
      return dst == D::kF16 ? kFiveOrNone : dst == D::kF32 ? kNoneOnly : 0;
    case D::kF16:
      if (one_of(dst, {D::kI4, D::kI8, D::kU8})) return kFiveOrNone;
      if (dst == D::kI16 || dst == D::kI32) return kFiveModes;
      return dst == D::kF32 ? kNoneOnly : 0;
    case D::kBF16:
      return dst == D::kI32 ? kFiveModes : dst == D::kF32 ? kNoneOnly : 0;
    case D::kI32:
      if (dst == D::kI16 || dst == D::kI64) return kNoneOnly;
      if (dst == D::kF16) return kWithOdd;  // scaled by DEQSCALE; the mode is ignored
      return dst == D::kF32 ? kFiveOrNone : 0;
    case D::kF32:
      if (dst == D::kF16) return kWithOdd;
      if (one_of(dst, {D::kI16, D::kBF16, D::kI32, D::kF32, D::kI64})) return kFiveModes;
      return 0;
    case D::kI64:
      return dst == D::kI32 ? kNoneOnly : dst == D::kF32 ? kFiveModes : 0;
    default:
      return 0;
  }
}

}  // namespace vector_types_detail

/// True if `op` exists for a destination of `dst` and sources of `src` (kNone where it has none).
constexpr bool vector_types_exist(Opcode op, DType dst, DType src) {
  using D = DType;
  using vector_types_detail::one_of;
  const bool same = dst == src;
  switch (op) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kMax:
    case Opcode::kMin:
    case Opcode::kAdds:
    case Opcode::kMuls:
    case Opcode::kMaxs:
    case Opcode::kMins:
      return same && one_of(dst, {D::kI16, D::kF16, D::kI32, D::kF32});
    case Opcode::kRelu:
      return same && one_of(dst, {D::kF16, D::kI32, D::kF32});
    case Opcode::kAddRelu:
    case Opcode::kSubRelu:
      return same && one_of(dst, {D::kI16, D::kF16, D::kF32});
    case Opcode::kAddReluCast:
    case Opcode::kSubReluCast:
      return (dst == D::kF16 && src == D::kF32) ||
             (dst == D::kI8 && one_of(src, {D::kF16, D::kI16}));
    case Opcode::kMulCast:
      return src == D::kF16 && one_of(dst, {D::kI8, D::kU8});
    case Opcode::kAddDeqRelu:
      return dst == D::kF16 && src == D::kI32;
    case Opcode::kCastDequant:
      return src == D::kI16 && one_of(dst, {D::kI8, D::kU8});
    case Opcode::kShiftLeft:
    case Opcode::kShiftRight:
      return same && one_of(dst, {D::kI16, D::kU16, D::kI32, D::kU32});
    case Opcode::kFusedMulAdd:
    case Opcode::kMulAddRelu:
    case Opcode::kLeakyRelu:
    case Opcode::kDiv:
    case Opcode::kExp:
    case Opcode::kLn:
    case Opcode::kAbs:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kReciprocal:
      return same && one_of(dst, {D::kF16, D::kF32});
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kNot:
      return same && one_of(dst, {D::kI16, D::kU16});
    case Opcode::kMulAddDst:
    case Opcode::kAxpy:
      return (same && one_of(dst, {D::kF16, D::kF32})) || (dst == D::kF32 && src == D::kF16);
    case Opcode::kDuplicate:
    case Opcode::kCopyUbToUb:
      return (op == Opcode::kDuplicate ? src == D::kNone : same) &&
             one_of(dst, {D::kI16, D::kU16, D::kF16, D::kBF16, D::kI32, D::kU32, D::kF32});
    case Opcode::kCast:
      return vector_types_detail::cast_modes(dst, src) != 0;
    default:
      return false;
  }
}

/// Instructions that make one result of many lanes.
constexpr bool is_reduction(Opcode op) {
  switch (op) {
    case Opcode::kReduceSum:
    case Opcode::kReduceMax:
    case Opcode::kReduceMin:
    case Opcode::kBlockReduceSum:
    case Opcode::kBlockReduceMax:
    case Opcode::kBlockReduceMin:
    case Opcode::kPairReduceSum:
      return true;
    default:
      return false;
  }
}

/// True if reduction `op` exists for elements of `type`.
constexpr bool reduction_exists(Opcode op, DType type) {
  return is_reduction(op) && vector_types_detail::one_of(type, {DType::kF16, DType::kF32});
}

/// Lanes that one result of a reduction is made of, where an element has `bytes` bytes.
constexpr std::uint32_t lanes_per_result(Opcode op, std::uint32_t bytes) {
  if (op == Opcode::kPairReduceSum) return 2;
  const bool whole =
      op == Opcode::kReduceSum || op == Opcode::kReduceMax || op == Opcode::kReduceMin;
  return (whole ? kRepeatBytes : kBlockBytes) / bytes;
}

constexpr std::uint32_t results_per_repeat(Opcode op, std::uint32_t bytes) {
  return kRepeatBytes / bytes / lanes_per_result(op, bytes);
}

/// Bytes of one result: a value, a value with an index of the same width, or an index of 32 bits.
constexpr std::uint32_t result_bytes(Opcode op, ReduceOrder order, std::uint32_t bytes) {
  if (op != Opcode::kReduceMax && op != Opcode::kReduceMin) return bytes;
  if (order == ReduceOrder::kOnlyIndex) return 4;
  return order == ReduceOrder::kOnlyValue ? bytes : 2 * bytes;
}

/// True if `op` compares elements of `type` that way.
constexpr bool comparison_exists(Opcode op, CompareMode mode, DType type) {
  const bool integers =
      type == DType::kI32 && mode == CompareMode::kEqual && op != Opcode::kCompareToMask;
  return vector_types_detail::one_of(type, {DType::kF16, DType::kF32}) || integers;
}

/// True if a comparison of elements of `type` exists at all.
constexpr bool can_compare(Opcode op, DType type) {
  return comparison_exists(op, CompareMode::kEqual, type);
}

/// True if Select exists for elements of `type`.
constexpr bool select_exists(DType type) {
  return vector_types_detail::one_of(type, {DType::kF16, DType::kF32});
}

/// Element types of a tensor of Select's bits.
constexpr bool is_select_mask(DType type) {
  return vector_types_detail::one_of(type, {DType::kU8, DType::kU16, DType::kU32, DType::kU64});
}

/// True if Gather and GatherMask exist for elements of `type`.
constexpr bool gather_exists(DType type) {
  return vector_types_exist(Opcode::kCopyUbToUb, type, type);
}

/// True if Brcb exists for elements of `type`.
constexpr bool brcb_exists(DType type) {
  return vector_types_exist(Opcode::kCopyUbToUb, type, type);
}

/// True if Cast takes `mode` between these types.
constexpr bool cast_mode_exists(DType dst, DType src, RoundMode mode) {
  return (vector_types_detail::cast_modes(dst, src) >> static_cast<unsigned>(mode) & 1u) != 0;
}

constexpr std::string_view round_mode_name(RoundMode mode) {
  switch (mode) {
    case RoundMode::kNone:
      return "CAST_NONE";
    case RoundMode::kRint:
      return "CAST_RINT";
    case RoundMode::kFloor:
      return "CAST_FLOOR";
    case RoundMode::kCeil:
      return "CAST_CEIL";
    case RoundMode::kRound:
      return "CAST_ROUND";
    case RoundMode::kTrunc:
      return "CAST_TRUNC";
    case RoundMode::kOdd:
      return "CAST_ODD";
  }
  return "?";
}

}  // namespace davsim::isa
