// Vector instructions on one tensor, element by element; forms as in vector_binary.h.
#pragma once

#include "ascendc/vector_emit.h"

/// Defines the three forms of an instruction.
#define DAVSIM_VECTOR_UNARY(Name, opcode)                                                     \
  template <typename T>                                                                       \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::int32_t& count,  \
            davsim::api::Location where = davsim::api::Location::current()) {                 \
    davsim::api::emit_unary<opcode, true>(#Name, dst, src, {}, count, where);                 \
  }                                                                                           \
  template <typename T, bool isSetMask = true>                                                \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::uint64_t mask,         \
            const davsim::api::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,  \
            davsim::api::Location where = davsim::api::Location::current()) {                 \
    davsim::api::emit_unary<opcode, isSetMask>(#Name, dst, src, {}, mask, repeatTime,         \
                                               repeatParams, where);                          \
  }                                                                                           \
  template <typename T, bool isSetMask = true>                                                \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint64_t mask[], \
            const davsim::api::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,  \
            davsim::api::Location where = davsim::api::Location::current()) {                 \
    davsim::api::emit_unary<opcode, isSetMask>(#Name, dst, src, {}, mask, repeatTime,         \
                                               repeatParams, where);                          \
  }

namespace davsim::api {

/// What an instruction on one tensor has beside it.
struct UnaryExtra {
  std::uint64_t scalar = 0;  ///< bit pattern
  isa::RoundMode round = isa::RoundMode::kNone;
};

template <isa::Opcode op, bool isSetMask, typename T, typename U>
void emit_unary(std::string_view name, const AscendC::LocalTensor<T>& dst,
                const AscendC::LocalTensor<U>& src, UnaryExtra extra, std::int64_t count,
                Location where) {
  static_assert(isa::types_exist(op, dtype_of<T>(), dtype_of<U>()),
                "the vector unit has no such instruction for these element types");
  constexpr std::int64_t kLanes = lanes_per_repeat(std::max(kElementBytes<T>, kElementBytes<U>));
  const VectorCall call{name, op, where};
  isa::VectorParams params = counted<isSetMask>(call, count);
  params.scalar = extra.scalar;
  params.round = extra.round;
  params.dst = dense<T>(kLanes);
  params.src0 = dense<U>(kLanes);
  emit_vector(call, dst.Operand(), src.Operand(), {}, params);
}

/// `Mask` is a number of lanes or a pointer to mask bits.
template <isa::Opcode op, bool isSetMask, typename T, typename U, typename Mask>
void emit_unary(std::string_view name, const AscendC::LocalTensor<T>& dst,
                const AscendC::LocalTensor<U>& src, UnaryExtra extra, Mask mask, RepeatTime repeats,
                const AscendC::UnaryRepeatParams& strides, Location where) {
  static_assert(isa::types_exist(op, dtype_of<T>(), dtype_of<U>()),
                "the vector unit has no such instruction for these element types");
  const VectorCall call{name, op, where};
  isa::VectorParams params = repeated<isSetMask>(
      call, mask, lanes_per_repeat(std::max(kElementBytes<T>, kElementBytes<U>)), repeats);
  params.scalar = extra.scalar;
  params.round = extra.round;
  set_strides(params, strides);
  emit_vector(call, dst.Operand(), src.Operand(), {}, params);
}

}  // namespace davsim::api

namespace AscendC {

/// dst = e^src. half, float.
DAVSIM_VECTOR_UNARY(Exp, davsim::isa::Opcode::kExp)
/// dst = natural logarithm of src. half, float.
DAVSIM_VECTOR_UNARY(Ln, davsim::isa::Opcode::kLn)
/// dst = |src|. half, float.
DAVSIM_VECTOR_UNARY(Abs, davsim::isa::Opcode::kAbs)
/// dst = square root of src. half, float.
DAVSIM_VECTOR_UNARY(Sqrt, davsim::isa::Opcode::kSqrt)
/// dst = 1 / square root of src. half, float.
DAVSIM_VECTOR_UNARY(Rsqrt, davsim::isa::Opcode::kRsqrt)
/// dst = 1 / src. half, float.
DAVSIM_VECTOR_UNARY(Reciprocal, davsim::isa::Opcode::kReciprocal)
/// dst = src where it is positive, else 0. half, int32_t, float.
DAVSIM_VECTOR_UNARY(Relu, davsim::isa::Opcode::kRelu)
/// dst = bitwise complement of src. int16_t, uint16_t.
DAVSIM_VECTOR_UNARY(Not, davsim::isa::Opcode::kNot)
/// Of `count` integers of another width.
template <typename T>
requires(std::is_integral_v<T>&& davsim::api::kElementBytes<T> !=
         2) void Not(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                     const std::int32_t& count,
                     davsim::api::Location where = davsim::api::Location::current()) {
  using Word = std::uint16_t;
  Not(dst.template ReinterpretCast<Word>(), src.template ReinterpretCast<Word>(),
      davsim::api::words_of<T>(count), where);
}

}  // namespace AscendC

#undef DAVSIM_VECTOR_UNARY
