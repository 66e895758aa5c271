// Instructions that scale by the register DEQSCALE; forms as in vector_binary.h.
#pragma once

#include "ascendc/vector_binary.h"
#include "ascendc/vector_deq_scale.h"
#include "ascendc/vector_unary.h"

namespace davsim::api {

template <typename T, typename U>
inline constexpr bool kCanDequantise = isa::types_exist(isa::Opcode::kCastDequant, dtype_of<T>(),
                                                        dtype_of<U>()) ||
                                       (dtype_of<T>() == isa::DType::kF16 &&
                                        dtype_of<U>() == isa::DType::kI32);

/// `params` has mask and strides. int32_t to half is the cast that takes DEQSCALE as a half.
template <bool isVecDeq, bool halfBlock, typename T, typename U>
void emit_cast_dequant(std::string_view name, const AscendC::LocalTensor<T>& dst,
                       const AscendC::LocalTensor<U>& src, isa::VectorParams params,
                       Location where) {
  static_assert(kCanDequantise<T, U>, "CastDequant: int16_t to int8_t or uint8_t, int32_t to half");
  if constexpr (std::is_same_v<U, std::int32_t>) {
    params.scalar = deq_scale(name, isa::DeqForm::kHalf, where);
    emit_vector({name, isa::Opcode::kCast, where}, dst.Operand(), src.Operand(), {}, params);
  } else {
    params.upper_half = halfBlock;
    isa::Operand table;
    if constexpr (isVecDeq) {
      const std::uint64_t block = deq_scale(name, isa::DeqForm::kTable, where);
      table = {isa::Space::kUb, isa::DType::kU64, block * isa::kBlockBytes};
    } else {
      params.scalar = deq_scale(name, isa::DeqForm::kWord, where);
    }
    emit_vector({name, isa::Opcode::kCastDequant, where}, dst.Operand(), src.Operand(), table,
                params);
  }
}

/// Mask and strides of a CastDequant on consecutive elements: a DataBlock of int16_t becomes one of
/// the destination, half of which is written.
template <typename T, typename U>
isa::VectorParams dequant_counted(std::string_view name, std::int64_t count, Location where) {
  constexpr std::int64_t kLanes = lanes_per_repeat(kElementBytes<U>);
  isa::VectorParams params = counted({name, isa::Opcode::kCastDequant, where}, count);
  params.src0 = dense<U>(kLanes);
  params.dst = kElementBytes<T> == 1 ? params.src0 : dense<T>(kLanes);
  return params;
}

template <bool isSetMask, typename U, typename Mask>
isa::VectorParams dequant_repeated(std::string_view name, Mask mask, RepeatTime repeats,
                                   const AscendC::UnaryRepeatParams& strides, Location where) {
  isa::VectorParams params = repeated<isSetMask>({name, isa::Opcode::kCastDequant, where}, mask,
                                                 lanes_per_repeat(kElementBytes<U>), repeats);
  set_strides(params, strides);
  return params;
}

template <bool isSetMask, typename Mask>
void emit_add_deq_relu(const AscendC::LocalTensor<half>& dst,
                       const AscendC::LocalTensor<std::int32_t>& src0,
                       const AscendC::LocalTensor<std::int32_t>& src1, Mask mask,
                       RepeatTime repeats, const AscendC::BinaryRepeatParams& strides,
                       Location where) {
  emit_binary<isa::Opcode::kAddDeqRelu, isSetMask>(
      "AddDeqRelu", dst, src0, src1, mask, repeats, strides, where,
      deq_scale("AddDeqRelu", isa::DeqForm::kHalf, where));
}

}  // namespace davsim::api

/// Defines the three forms under a name.
#define DAVSIM_CAST_DEQUANT(Name)                                                                  \
  template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>                   \
  void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const std::uint32_t count,       \
            davsim::api::Location where = davsim::api::Location::current()) {                      \
    davsim::api::emit_cast_dequant<isVecDeq, halfBlock>(                                           \
        #Name, dst, src, davsim::api::dequant_counted<T, U>(#Name, count, where), where);          \
  }                                                                                                \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true,                   \
            bool halfBlock = true>                                                                 \
  void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const std::int32_t mask,         \
            const davsim::api::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,       \
            davsim::api::Location where = davsim::api::Location::current()) {                      \
    davsim::api::emit_cast_dequant<isVecDeq, halfBlock>(                                           \
        #Name, dst, src,                                                                           \
        davsim::api::dequant_repeated<isSetMask, U>(#Name, static_cast<std::uint64_t>(mask),       \
                                                    repeatTime, repeatParams, where),              \
        where);                                                                                    \
  }                                                                                                \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true,                   \
            bool halfBlock = true>                                                                 \
  void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const std::uint64_t mask[],      \
            const davsim::api::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,       \
            davsim::api::Location where = davsim::api::Location::current()) {                      \
    davsim::api::emit_cast_dequant<isVecDeq, halfBlock>(                                           \
        #Name, dst, src,                                                                           \
        davsim::api::dequant_repeated<isSetMask, U>(#Name, mask, repeatTime, repeatParams, where), \
        where);                                                                                    \
  }

namespace AscendC {

/// int16_t to int8_t or uint8_t: dst = src * scale + offset, rounded and saturated, by the sixteen
/// words of SetDeqScale(LocalTensor, VdeqInfo), or with isVecDeq = false by the one of
/// SetDeqScale(float, int16_t, bool). The results of a DataBlock of src fill the upper half of a
/// DataBlock of dst, with halfBlock = false the lower half. int32_t to half: dst = src * scale, as
/// Cast.
DAVSIM_CAST_DEQUANT(CastDequant)
/// Earlier name of CastDequant.
DAVSIM_CAST_DEQUANT(CastDeq)

/// dst = (src0 + src1) * scale where that is positive, else 0; the scale is SetDeqScale(half)'s.
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<std::int32_t>& src0,
                       const LocalTensor<std::int32_t>& src1, const std::int32_t& count,
                       davsim::api::Location where = davsim::api::Location::current()) {
  using davsim::api::deq_scale;
  davsim::api::emit_binary<davsim::isa::Opcode::kAddDeqRelu>(
      "AddDeqRelu", dst, src0, src1, count, where,
      deq_scale("AddDeqRelu", davsim::isa::DeqForm::kHalf, where));
}

template <bool isSetMask = true>
void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<std::int32_t>& src0,
                const LocalTensor<std::int32_t>& src1, std::uint64_t mask,
                const davsim::api::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_add_deq_relu<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, where);
}

template <bool isSetMask = true>
void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<std::int32_t>& src0,
                const LocalTensor<std::int32_t>& src1, const std::uint64_t mask[],
                const davsim::api::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_add_deq_relu<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, where);
}

/// The same with the types as template arguments.
template <typename T, typename U>
void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                const std::int32_t& count,
                davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(std::is_same_v<PrimT<T>, half> && std::is_same_v<PrimT<U>, std::int32_t>,
                "AddDeqRelu: int32_t to half");
  using davsim::api::deq_scale;
  davsim::api::emit_binary<davsim::isa::Opcode::kAddDeqRelu>(
      "AddDeqRelu", dst, src0, src1, count, where,
      deq_scale("AddDeqRelu", davsim::isa::DeqForm::kHalf, where));
}

template <typename T, typename U, bool isSetMask = true>
void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                std::uint64_t mask, const davsim::api::RepeatTime repeatTime,
                const BinaryRepeatParams& repeatParams,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_add_deq_relu<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, where);
}

template <typename T, typename U, bool isSetMask = true>
void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                const std::uint64_t mask[], const davsim::api::RepeatTime repeatTime,
                const BinaryRepeatParams& repeatParams,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_add_deq_relu<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, where);
}

}  // namespace AscendC

#undef DAVSIM_CAST_DEQUANT
