// Vector instructions on two tensors, element by element.
//
// Each comes in three forms: the first `count` elements; the first `mask` lanes of every repeat;
// the lanes whose bits are set in mask[2]. With isSetMask = false the mask register decides
// (SetVectorMask) and the mask argument is MASK_PLACEHOLDER. UB addresses are multiples of 32
// bytes; repeatTime is 0 to 255; no repeat, no count or no lane does nothing. Types, overflow, NaN
// and rounding: docs/numerics.md.
#pragma once

#include "ascendc/vector_emit.h"

/// Defines the three forms of an instruction whose operands have one type.
#define DAVSIM_VECTOR_BINARY(Name, opcode)                                                     \
  template <typename T>                                                                        \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
            const std::int32_t& count,                                                         \
            davsim::api::Location where = davsim::api::Location::current()) {                  \
    davsim::api::emit_binary<opcode>(#Name, dst, src0, src1, count, where);                    \
  }                                                                                            \
  template <typename T, bool isSetMask = true>                                                 \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
            std::uint64_t mask, const davsim::api::RepeatTime repeatTime,                      \
            const BinaryRepeatParams& repeatParams,                                            \
            davsim::api::Location where = davsim::api::Location::current()) {                  \
    davsim::api::emit_binary<opcode, isSetMask>(#Name, dst, src0, src1, mask, repeatTime,      \
                                                repeatParams, where);                          \
  }                                                                                            \
  template <typename T, bool isSetMask = true>                                                 \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
            const std::uint64_t mask[], const davsim::api::RepeatTime repeatTime,              \
            const BinaryRepeatParams& repeatParams,                                            \
            davsim::api::Location where = davsim::api::Location::current()) {                  \
    davsim::api::emit_binary<opcode, isSetMask>(#Name, dst, src0, src1, mask, repeatTime,      \
                                                repeatParams, where);                          \
  }

/// The same for an instruction whose destination has a type of its own.
#define DAVSIM_VECTOR_BINARY_INTO(Name, opcode)                                                \
  template <typename T, typename U>                                                            \
  void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, \
            const std::int32_t& count,                                                         \
            davsim::api::Location where = davsim::api::Location::current()) {                  \
    davsim::api::emit_binary<opcode>(#Name, dst, src0, src1, count, where);                    \
  }                                                                                            \
  template <typename T, typename U, bool isSetMask = true>                                     \
  void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, \
            std::uint64_t mask, const davsim::api::RepeatTime repeatTime,                      \
            const BinaryRepeatParams& repeatParams,                                            \
            davsim::api::Location where = davsim::api::Location::current()) {                  \
    davsim::api::emit_binary<opcode, isSetMask>(#Name, dst, src0, src1, mask, repeatTime,      \
                                                repeatParams, where);                          \
  }                                                                                            \
  template <typename T, typename U, bool isSetMask = true>                                     \
  void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, \
            const std::uint64_t mask[], const davsim::api::RepeatTime repeatTime,              \
            const BinaryRepeatParams& repeatParams,                                            \
            davsim::api::Location where = davsim::api::Location::current()) {                  \
    davsim::api::emit_binary<opcode, isSetMask>(#Name, dst, src0, src1, mask, repeatTime,      \
                                                repeatParams, where);                          \
  }

namespace davsim::api {

template <isa::Opcode op, typename T, typename U>
void emit_binary(std::string_view name, const AscendC::LocalTensor<T>& dst,
                 const AscendC::LocalTensor<U>& src0, const AscendC::LocalTensor<U>& src1,
                 std::int64_t count, Location where, std::uint64_t scalar = 0) {
  static_assert(isa::types_exist(op, dtype_of<T>(), dtype_of<U>()),
                "the vector unit has no such instruction for these element types");
  constexpr std::int64_t kLanes = lanes_per_repeat(std::max(kElementBytes<T>, kElementBytes<U>));
  const VectorCall call{name, op, where};
  isa::VectorParams params = counted(call, count);
  params.scalar = scalar;
  params.dst = dense<T>(kLanes);
  params.src0 = params.src1 = dense<U>(kLanes);
  emit_vector(call, dst.Operand(), src0.Operand(), src1.Operand(), params);
}

/// `Mask` is a number of lanes or a pointer to mask bits.
template <isa::Opcode op, bool isSetMask, typename T, typename U, typename Mask>
void emit_binary(std::string_view name, const AscendC::LocalTensor<T>& dst,
                 const AscendC::LocalTensor<U>& src0, const AscendC::LocalTensor<U>& src1,
                 Mask mask, RepeatTime repeats, const AscendC::BinaryRepeatParams& strides,
                 Location where, std::uint64_t scalar = 0) {
  static_assert(isa::types_exist(op, dtype_of<T>(), dtype_of<U>()),
                "the vector unit has no such instruction for these element types");
  const VectorCall call{name, op, where};
  isa::VectorParams params = repeated<isSetMask>(
      call, mask, lanes_per_repeat(std::max(kElementBytes<T>, kElementBytes<U>)), repeats);
  params.scalar = scalar;
  set_strides(params, strides);
  emit_vector(call, dst.Operand(), src0.Operand(), src1.Operand(), params);
}

}  // namespace davsim::api

namespace AscendC {

/// dst = src0 + src1. int16_t, half, int32_t, float.
DAVSIM_VECTOR_BINARY(Add, davsim::isa::Opcode::kAdd)
/// dst = src0 - src1. int16_t, half, int32_t, float.
DAVSIM_VECTOR_BINARY(Sub, davsim::isa::Opcode::kSub)
/// dst = src0 * src1. int16_t, half, int32_t, float.
DAVSIM_VECTOR_BINARY(Mul, davsim::isa::Opcode::kMul)
/// dst = src0 / src1. half, float.
DAVSIM_VECTOR_BINARY(Div, davsim::isa::Opcode::kDiv)
/// dst = the larger one. int16_t, half, int32_t, float.
DAVSIM_VECTOR_BINARY(Max, davsim::isa::Opcode::kMax)
/// dst = the smaller one. int16_t, half, int32_t, float.
DAVSIM_VECTOR_BINARY(Min, davsim::isa::Opcode::kMin)
/// dst = src0 & src1. int16_t, uint16_t.
DAVSIM_VECTOR_BINARY(And, davsim::isa::Opcode::kAnd)
/// dst = src0 | src1. int16_t, uint16_t.
DAVSIM_VECTOR_BINARY(Or, davsim::isa::Opcode::kOr)

/// dst = src0 + src1 where that is positive, else 0. int16_t, half, float.
DAVSIM_VECTOR_BINARY(AddRelu, davsim::isa::Opcode::kAddRelu)
/// dst = src0 - src1 where that is positive, else 0. int16_t, half, float.
DAVSIM_VECTOR_BINARY(SubRelu, davsim::isa::Opcode::kSubRelu)
/// dst = src0 * dst + src1. half, float.
DAVSIM_VECTOR_BINARY(FusedMulAdd, davsim::isa::Opcode::kFusedMulAdd)
/// dst = src0 * dst + src1 where that is positive, else 0. half, float.
DAVSIM_VECTOR_BINARY(MulAddRelu, davsim::isa::Opcode::kMulAddRelu)
/// Earlier name of MulAddRelu.
DAVSIM_VECTOR_BINARY(FusedMulAddRelu, davsim::isa::Opcode::kMulAddRelu)

// And and Or of `count` integers of another width than 16 bits, bit by bit.
#define DAVSIM_VECTOR_BITS(Name)                                                                   \
  template <typename T>                                                                            \
  requires(std::is_integral_v<T> && davsim::api::kElementBytes<T> != 2) void Name(                 \
      const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,           \
      const std::int32_t& count, davsim::api::Location where = davsim::api::Location::current()) { \
    using Word = std::uint16_t;                                                                    \
    Name(dst.template ReinterpretCast<Word>(), src0.template ReinterpretCast<Word>(),              \
         src1.template ReinterpretCast<Word>(), davsim::api::words_of<T>(count), where);           \
  }
DAVSIM_VECTOR_BITS(And)
DAVSIM_VECTOR_BITS(Or)
#undef DAVSIM_VECTOR_BITS

// Sources and destination of two types: the wider one decides about repeats and mask.

/// dst += src0 * src1. half, float, or half sources into float.
DAVSIM_VECTOR_BINARY_INTO(MulAddDst, davsim::isa::Opcode::kMulAddDst)
/// dst = src0 + src1 where that is positive, else 0, cast with CAST_RINT. float into half; half,
/// int16_t into int8_t.
DAVSIM_VECTOR_BINARY_INTO(AddReluCast, davsim::isa::Opcode::kAddReluCast)
/// dst = src0 - src1 where that is positive, else 0, cast likewise.
DAVSIM_VECTOR_BINARY_INTO(SubReluCast, davsim::isa::Opcode::kSubReluCast)
/// dst = src0 * src1, cast with CAST_RINT. half into int8_t, uint8_t.
DAVSIM_VECTOR_BINARY_INTO(MulCast, davsim::isa::Opcode::kMulCast)

}  // namespace AscendC

#undef DAVSIM_VECTOR_BINARY_INTO
#undef DAVSIM_VECTOR_BINARY
