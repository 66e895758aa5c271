// Comparisons: of two tensors or of a tensor and a scalar into a tensor of one bit a lane, and of
// one repeat into the register CMPMASK.
#pragma once

#include "ascendc/vector_emit.h"

namespace AscendC {

enum class CMPMODE : std::uint8_t { LT = 0, GT, EQ, LE, GE, NE };

}  // namespace AscendC

namespace davsim::api {

/// The bits that a comparison writes, as bytes whatever the type of the tensor that is to hold
/// them.
template <typename U>
AscendC::LocalTensor<std::uint8_t> result_bits(const AscendC::LocalTensor<U>& dst) {
  return dst.template ReinterpretCast<std::uint8_t>();
}

/// A comparison into a tensor: no mask, full repeats, results one behind the other.
template <typename T, typename U>
void emit_compare(const VectorCall& call, const AscendC::LocalTensor<U>& dst,
                  const AscendC::LocalTensor<T>& src0, const isa::Operand& src1,
                  isa::VectorParams params, AscendC::CMPMODE mode, RepeatTime repeats) {
  static_assert(isa::can_compare(isa::Opcode::kCompare, dtype_of<T>()),
                "Compare takes half, float and int32_t");
  require_range(call.name, "repeatTime", repeats, 0, 255, call.where);
  params.repeats = static_cast<std::uint16_t>(repeats);
  params.compare = static_cast<isa::CompareMode>(mode);
  emit_vector(call, result_bits(dst).Operand(), src0.Operand(), src1, params);
}

/// `count` elements, those of an incomplete repeat at the end left out: instructions of up to 252
/// repeats, so that the bits of each begin on a DataBlock.
template <typename T, typename Emit>
void for_compared_repeats(std::string_view name, std::int64_t count, Location where, Emit emit) {
  constexpr std::int64_t kMost = 252;
  require_range(name, "count", count, 0, UINT32_MAX, where);
  const std::int64_t repeats = count / lanes_per_repeat(kElementBytes<T>);
  for (std::int64_t first = 0; first < repeats; first += kMost) {
    const std::int64_t element = first * lanes_per_repeat(kElementBytes<T>);
    emit(static_cast<std::uint32_t>(element), static_cast<std::uint32_t>(element / 8),
         std::min(kMost, repeats - first));
  }
}

template <typename T, typename U>
void emit_compare_scalar(const VectorCall& call, const AscendC::LocalTensor<U>& dst,
                         const AscendC::LocalTensor<T>& src0, const T& scalar,
                         AscendC::CMPMODE mode, RepeatTime repeats, isa::BlockStride stride) {
  isa::VectorParams params;
  params.scalar = bits_of(scalar);
  params.src0 = stride;
  emit_compare(call, dst, src0, {}, params, mode, repeats);
}

template <bool isSetMask, typename T, typename Mask>
void emit_compare_to_mask(const AscendC::LocalTensor<T>& src0, const AscendC::LocalTensor<T>& src1,
                          AscendC::CMPMODE mode, Mask mask,
                          const AscendC::BinaryRepeatParams& strides, Location where) {
  static_assert(isa::can_compare(isa::Opcode::kCompareToMask, dtype_of<T>()),
                "Compare into CMPMASK takes half and float");
  const VectorCall call{"Compare", isa::Opcode::kCompareToMask, where};
  isa::VectorParams params = repeated<isSetMask>(call, mask, lanes_per_repeat(kElementBytes<T>), 1);
  set_strides(params, strides);
  params.compare = static_cast<isa::CompareMode>(mode);
  emit_vector(call, {}, src0.Operand(), src1.Operand(), params);
}

}  // namespace davsim::api

namespace AscendC {

/// Bit i of dst = src0[i] <cmpMode> src1[i]; what is compared with NaN is 0. half and float,
/// int32_t for equality. Only whole repeats of 256 bytes of `count` elements are compared.
template <typename T, typename U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE cmpMode, std::uint32_t count,
             davsim::api::Location where = davsim::api::Location::current()) {
  const davsim::api::VectorCall call{"Compare", davsim::isa::Opcode::kCompare, where};
  davsim::api::for_compared_repeats<T>(
      "Compare", count, where,
      [&](std::uint32_t element, std::uint32_t byte, std::int64_t repeats) {
        davsim::api::emit_compare(call, davsim::api::result_bits(dst)[byte], src0[element],
                                  src1[element].Operand(), {}, cmpMode, repeats);
      });
}

/// The same by repeats of the sources. The mask has no effect on 2201, and neither have the strides
/// of dst: the bits of the repeats follow each other.
template <typename T, typename U, bool isSetMask = true>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE cmpMode, [[maybe_unused]] const std::uint64_t mask,
             const davsim::api::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::isa::VectorParams params;
  davsim::api::set_strides(params, repeatParams);
  davsim::api::emit_compare({"Compare", davsim::isa::Opcode::kCompare, where}, dst, src0,
                            src1.Operand(), params, cmpMode, repeatTime);
}
template <typename T, typename U, bool isSetMask = true>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE cmpMode, [[maybe_unused]] const std::uint64_t mask[],
             const davsim::api::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  Compare<T, U, isSetMask>(dst, src0, src1, cmpMode, MASK_PLACEHOLDER, repeatTime, repeatParams,
                           where);
}

/// CMPMASK = src0 <cmpMode> src1 of one repeat; bits of masked-off lanes are 0. half and float.
template <typename T, bool isSetMask = true>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             const std::uint64_t mask, const BinaryRepeatParams& repeatParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_compare_to_mask<isSetMask>(src0, src1, cmpMode, mask, repeatParams, where);
}
template <typename T, bool isSetMask = true>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             const std::uint64_t mask[], const BinaryRepeatParams& repeatParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_compare_to_mask<isSetMask>(src0, src1, cmpMode, mask, repeatParams, where);
}

#define DAVSIM_COMPARE_SCALAR(Name)                                                              \
  template <typename T, typename U>                                                              \
  void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,           \
            CMPMODE cmpMode, std::uint32_t count,                                                \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    const davsim::api::VectorCall call{#Name, davsim::isa::Opcode::kCompareScalar, where};       \
    davsim::api::for_compared_repeats<T>(                                                        \
        #Name, count, where,                                                                     \
        [&](std::uint32_t element, std::uint32_t byte, std::int64_t repeats) {                   \
          davsim::api::emit_compare_scalar(call, davsim::api::result_bits(dst)[byte],            \
                                           src0[element], src1Scalar, cmpMode, repeats, {});     \
        });                                                                                      \
  }                                                                                              \
  template <typename T, typename U, davsim::api::ElementOf<T> S>                                 \
  void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const S& src1Scalar,          \
            CMPMODE cmpMode, std::uint32_t count,                                                \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    Name(dst, src0, static_cast<T>(src1Scalar), cmpMode, count, where);                          \
  }                                                                                              \
  template <typename T, typename U, bool isSetMask = true>                                       \
  void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,           \
            CMPMODE cmpMode, [[maybe_unused]] const std::uint64_t mask,                          \
            const davsim::api::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,     \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    const davsim::api::VectorCall call{#Name, davsim::isa::Opcode::kCompareScalar, where};       \
    davsim::api::emit_compare_scalar(call, dst, src0, src1Scalar, cmpMode, repeatTime,           \
                                     {repeatParams.srcBlkStride, repeatParams.srcRepStride});    \
  }                                                                                              \
  template <typename T, typename U, bool isSetMask = true>                                       \
  void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,           \
            CMPMODE cmpMode, [[maybe_unused]] const std::uint64_t mask[],                        \
            const davsim::api::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,     \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    Name<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, MASK_PLACEHOLDER, repeatTime,          \
                          repeatParams, where);                                                  \
  }                                                                                              \
  template <typename T, typename U, davsim::api::ElementOf<T> S>                                 \
  void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const S& src1Scalar,          \
            CMPMODE cmpMode, [[maybe_unused]] const std::uint64_t mask,                          \
            const davsim::api::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,     \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    Name(dst, src0, static_cast<T>(src1Scalar), cmpMode, mask, repeatTime, repeatParams, where); \
  }                                                                                              \
  template <typename T, typename U, davsim::api::ElementOf<T> S>                                 \
  void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const S& src1Scalar,          \
            CMPMODE cmpMode, [[maybe_unused]] const std::uint64_t mask[],                        \
            const davsim::api::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,     \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    Name(dst, src0, static_cast<T>(src1Scalar), cmpMode, mask, repeatTime, repeatParams, where); \
  }

/// Compare with a scalar in place of src1.
DAVSIM_COMPARE_SCALAR(CompareScalar)
/// Later name of CompareScalar.
DAVSIM_COMPARE_SCALAR(Compares)
#undef DAVSIM_COMPARE_SCALAR

/// CMPMASK = the first 128 bits of src, which begins on 16 bytes.
template <typename T>
void SetCmpMask(const LocalTensor<T>& src,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_vector({"SetCmpMask", davsim::isa::Opcode::kSetCmpMask, where}, {},
                           src.Operand(), {}, {});
}

/// The first 128 bits of dst = CMPMASK. dst begins on 16 bytes and has 128 bytes at least.
template <typename T>
void GetCmpMask(const LocalTensor<T>& dst,
                davsim::api::Location where = davsim::api::Location::current()) {
  if (dst.GetLength() < 128) {
    davsim::api::refuse("GetCmpMask", "the length of dst", dst.GetLength(), "128 bytes and more",
                        where);
  }
  davsim::api::emit_vector({"GetCmpMask", davsim::isa::Opcode::kGetCmpMask, where}, dst.Operand(),
                           {}, {}, {});
}

}  // namespace AscendC
