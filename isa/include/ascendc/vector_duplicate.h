// Filling a tensor, spreading elements and copying within UB through the vector unit; forms as in
// vector_binary.h.
#pragma once

#include "ascendc/vector_unary.h"

namespace davsim::api {

template <typename T>
inline constexpr bool kCanDuplicate = isa::types_exist(isa::Opcode::kDuplicate, dtype_of<T>(),
                                                       isa::DType::kNone);

template <bool isSetMask, typename T, typename Mask>
void emit_duplicate(const AscendC::LocalTensor<T>& dst, const T& scalar, Mask mask,
                    RepeatTime repeats, std::uint16_t block_stride, std::uint8_t repeat_stride,
                    Location where) {
  static_assert(kCanDuplicate<T>, "Duplicate: element types of 16 or 32 bits");
  const VectorCall call{"Duplicate", isa::Opcode::kDuplicate, where};
  isa::VectorParams params =
      repeated<isSetMask>(call, mask, lanes_per_repeat(kElementBytes<T>), repeats);
  params.scalar = bits_of(scalar);
  params.dst = {block_stride, repeat_stride};
  emit_vector(call, dst.Operand(), {}, {}, params);
}

template <bool isSetMask, typename T, typename Mask>
void emit_ub_copy(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, Mask mask,
                  RepeatTime repeats, const AscendC::CopyRepeatParams& strides, Location where) {
  static_assert(isa::types_exist(isa::Opcode::kCopyUbToUb, dtype_of<T>(), dtype_of<T>()),
                "Copy: element types of 16 or 32 bits");
  require_range("Copy", "dstRepeatSize", strides.dstRepeatSize, 0, 4095, where);
  require_range("Copy", "srcRepeatSize", strides.srcRepeatSize, 0, 4095, where);
  const VectorCall call{"Copy", isa::Opcode::kCopyUbToUb, where};
  isa::VectorParams params =
      repeated<isSetMask>(call, mask, lanes_per_repeat(kElementBytes<T>), repeats);
  params.dst = {strides.dstStride, strides.dstRepeatSize};
  params.src0 = {strides.srcStride, strides.srcRepeatSize};
  emit_vector(call, dst.Operand(), src.Operand(), {}, params);
}

}  // namespace davsim::api

namespace AscendC {

/// dst = scalarValue. int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float.
template <typename T>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const std::int32_t& count,
               davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kCanDuplicate<T>, "Duplicate: element types of 16 or 32 bits");
  const davsim::api::VectorCall call{"Duplicate", davsim::isa::Opcode::kDuplicate, where};
  davsim::isa::VectorParams params = davsim::api::counted(call, count);
  params.scalar = davsim::api::bits_of(scalarValue);
  davsim::api::emit_vector(call, dst.Operand(), {}, {}, params);
}

template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, std::uint64_t mask,
               const davsim::api::RepeatTime repeatTime, const std::uint16_t dstBlockStride,
               const std::uint8_t dstRepeatStride,
               davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_duplicate<isSetMask>(dst, scalarValue, mask, repeatTime, dstBlockStride,
                                         dstRepeatStride, where);
}

template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const std::uint64_t mask[],
               const davsim::api::RepeatTime repeatTime, const std::uint16_t dstBlockStride,
               const std::uint8_t dstRepeatStride,
               davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_duplicate<isSetMask>(dst, scalarValue, mask, repeatTime, dstBlockStride,
                                         dstRepeatStride, where);
}

/// The same with an element of a tensor as value.
template <typename T, davsim::api::ElementOf<T> S>
void Duplicate(const LocalTensor<T>& dst, const S& scalarValue, const std::int32_t& count,
               davsim::api::Location where = davsim::api::Location::current()) {
  Duplicate(dst, static_cast<T>(scalarValue), count, where);
}
template <typename T, davsim::api::ElementOf<T> S>
void Duplicate(const LocalTensor<T>& dst, const S& scalarValue, std::uint64_t mask,
               const davsim::api::RepeatTime repeatTime, const std::uint16_t dstBlockStride,
               const std::uint8_t dstRepeatStride,
               davsim::api::Location where = davsim::api::Location::current()) {
  Duplicate(dst, static_cast<T>(scalarValue), mask, repeatTime, dstBlockStride, dstRepeatStride,
            where);
}
template <typename T, davsim::api::ElementOf<T> S>
void Duplicate(const LocalTensor<T>& dst, const S& scalarValue, const std::uint64_t mask[],
               const davsim::api::RepeatTime repeatTime, const std::uint16_t dstBlockStride,
               const std::uint8_t dstRepeatStride,
               davsim::api::Location where = davsim::api::Location::current()) {
  Duplicate(dst, static_cast<T>(scalarValue), mask, repeatTime, dstBlockStride, dstRepeatStride,
            where);
}

/// dst = src, block by block. int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float. In
/// counter mode the mask is the number of elements of every repeat, and repeatTime counts.
template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint64_t mask,
          const davsim::api::RepeatTime repeatTime, const CopyRepeatParams& repeatParams,
          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_ub_copy<isSetMask>(dst, src, mask, repeatTime, repeatParams, where);
}

template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint64_t mask[],
          const davsim::api::RepeatTime repeatTime, const CopyRepeatParams& repeatParams,
          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_ub_copy<isSetMask>(dst, src, mask, repeatTime, repeatParams, where);
}

/// `count` consecutive elements, in normal mode.
template <typename T>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t count,
          davsim::api::Location where = davsim::api::Location::current()) {
  constexpr auto kLanes =
      static_cast<std::uint32_t>(davsim::api::lanes_per_repeat(davsim::api::kElementBytes<T>));
  constexpr std::uint32_t kMost = 255;
  const davsim::api::InNormalMode masks;
  const std::uint32_t repeats = count / kLanes, rest = count % kLanes;
  for (std::uint32_t first = 0; first < repeats; first += kMost) {
    Copy(dst[first * kLanes], src[first * kLanes], std::uint64_t{kLanes},
         std::min(kMost, repeats - first), {1, 1, 8, 8}, where);
  }
  if (rest != 0) {
    Copy(dst[count - rest], src[count - rest], std::uint64_t{rest}, 1, {1, 1, 8, 8}, where);
  }
}

/// Each element of src into a DataBlock of dst: eight elements and eight blocks a repeat, whatever
/// the mask. src lies densely and not on dst. int16_t, uint16_t, half, bfloat16_t, int32_t,
/// uint32_t, float.
template <typename T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src,
          const davsim::api::RepeatTime repeatTime, const BrcbRepeatParams& repeatParams,
          davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::isa::type_exists(davsim::isa::Opcode::kBrcb, davsim::api::dtype_of<T>()),
                "Brcb: element types of 16 or 32 bits");
  davsim::api::require_range("Brcb", "repeatTime", repeatTime, 0, 255, where);
  davsim::isa::VectorParams params;
  params.repeats = static_cast<std::uint16_t>(repeatTime);
  params.dst = {repeatParams.dstBlkStride, repeatParams.dstRepStride};
  davsim::api::emit_vector({"Brcb", davsim::isa::Opcode::kBrcb, where}, dst.Operand(),
                           src.Operand(), {}, params);
}

}  // namespace AscendC
