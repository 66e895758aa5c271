// Shifts of all elements by one number of places; forms as in vector_scalar.h.
#pragma once

#include "ascendc/vector_unary.h"

namespace davsim::api {

/// The scalar of a shift record; the instruction refuses numbers of places outside 0 to the width
/// of the type.
template <typename T>
constexpr UnaryExtra shift_extra(T places, bool round = false) {
  const auto word = static_cast<std::uint32_t>(static_cast<std::int64_t>(places));
  return {word | std::uint64_t{round} << 32};
}

}  // namespace davsim::api

/// Defines the three forms.
#define DAVSIM_VECTOR_SHIFT_FORMS(Name, opcode, Parameters, ScalarType)                          \
  template <Parameters>                                                                          \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue, \
            const std::int32_t& count,                                                           \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    davsim::api::emit_unary<opcode, isSetMask>(                                                  \
        #Name, dst, src,                                                                         \
        davsim::api::shift_extra(static_cast<davsim::api::ElementType<T>>(scalarValue)), count,  \
        where);                                                                                  \
  }                                                                                              \
  template <Parameters>                                                                          \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue, \
            std::uint64_t mask, const davsim::api::RepeatTime repeatTime,                        \
            const UnaryRepeatParams& repeatParams,                                               \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    davsim::api::emit_unary<opcode, isSetMask>(                                                  \
        #Name, dst, src,                                                                         \
        davsim::api::shift_extra(static_cast<davsim::api::ElementType<T>>(scalarValue)), mask,   \
        repeatTime, repeatParams, where);                                                        \
  }                                                                                              \
  template <Parameters>                                                                          \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue, \
            const std::uint64_t mask[], const davsim::api::RepeatTime repeatTime,                \
            const UnaryRepeatParams& repeatParams,                                               \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    davsim::api::emit_unary<opcode, isSetMask>(                                                  \
        #Name, dst, src,                                                                         \
        davsim::api::shift_extra(static_cast<davsim::api::ElementType<T>>(scalarValue)), mask,   \
        repeatTime, repeatParams, where);                                                        \
  }

/// The forms with repeats that say whether to round.
#define DAVSIM_VECTOR_SHIFT_ROUNDED(Name, opcode, Parameters, ScalarType)                         \
  template <Parameters>                                                                           \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue,  \
            std::uint64_t mask, const davsim::api::RepeatTime repeatTime,                         \
            const UnaryRepeatParams& repeatParams, bool roundEn,                                  \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    davsim::api::emit_unary<opcode, isSetMask>(                                                   \
        #Name, dst, src,                                                                          \
        davsim::api::shift_extra(static_cast<davsim::api::ElementType<T>>(scalarValue), roundEn), \
        mask, repeatTime, repeatParams, where);                                                   \
  }                                                                                               \
  template <Parameters>                                                                           \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue,  \
            const std::uint64_t mask[], const davsim::api::RepeatTime repeatTime,                 \
            const UnaryRepeatParams& repeatParams, bool roundEn,                                  \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    davsim::api::emit_unary<opcode, isSetMask>(                                                   \
        #Name, dst, src,                                                                          \
        davsim::api::shift_extra(static_cast<davsim::api::ElementType<T>>(scalarValue), roundEn), \
        mask, repeatTime, repeatParams, where);                                                   \
  }

#define DAVSIM_ONE_TYPE typename T, bool isSetMask = true
#define DAVSIM_TWO_TYPES                         \
  typename T, typename U, bool isSetMask = true, \
                               std::enable_if_t<davsim::api::kIsNumber<T, U>, bool> = true

namespace AscendC {

/// dst = src << scalarValue. int16_t, uint16_t, int32_t, uint32_t; signed numbers keep their sign
/// bit and lose the bits next to it. scalarValue: 0 to the width of the type.
DAVSIM_VECTOR_SHIFT_FORMS(ShiftLeft, davsim::isa::Opcode::kShiftLeft, DAVSIM_ONE_TYPE, T)
DAVSIM_VECTOR_SHIFT_FORMS(ShiftLeft, davsim::isa::Opcode::kShiftLeft, DAVSIM_TWO_TYPES, U)

/// dst = src >> scalarValue, arithmetic for signed types, logical for unsigned ones. roundEn adds
/// the last bit that is shifted out (signed types only). Types and scalarValue as above.
DAVSIM_VECTOR_SHIFT_FORMS(ShiftRight, davsim::isa::Opcode::kShiftRight, DAVSIM_ONE_TYPE, T)
DAVSIM_VECTOR_SHIFT_FORMS(ShiftRight, davsim::isa::Opcode::kShiftRight, DAVSIM_TWO_TYPES, U)
DAVSIM_VECTOR_SHIFT_ROUNDED(ShiftRight, davsim::isa::Opcode::kShiftRight, DAVSIM_ONE_TYPE, T)
DAVSIM_VECTOR_SHIFT_ROUNDED(ShiftRight, davsim::isa::Opcode::kShiftRight, DAVSIM_TWO_TYPES, U)

}  // namespace AscendC

#undef DAVSIM_TWO_TYPES
#undef DAVSIM_ONE_TYPE
#undef DAVSIM_VECTOR_SHIFT_ROUNDED
#undef DAVSIM_VECTOR_SHIFT_FORMS
