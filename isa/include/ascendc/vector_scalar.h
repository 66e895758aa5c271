// Vector instructions on a tensor and a scalar; forms as in vector_binary.h.
#pragma once

#include "ascendc/vector_unary.h"

/// Defines the three forms of an instruction, each also with the scalar's type as a
/// template argument. Unlike other calls, the form with `count` may also use the kernel's
/// mask.
#define DAVSIM_VECTOR_SCALAR_FORMS(Name, opcode, Parameters, ScalarType)                         \
  template <Parameters>                                                                          \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue, \
            const std::int32_t& count,                                                           \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    davsim::api::emit_unary<opcode, isSetMask>(                                                  \
        #Name, dst, src, {davsim::api::bits_of(static_cast<T>(scalarValue))}, count, where);     \
  }                                                                                              \
  template <Parameters>                                                                          \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue, \
            std::uint64_t mask, const davsim::api::RepeatTime repeatTime,                        \
            const UnaryRepeatParams& repeatParams,                                               \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    davsim::api::emit_unary<opcode, isSetMask>(                                                  \
        #Name, dst, src, {davsim::api::bits_of(static_cast<T>(scalarValue))}, mask, repeatTime,  \
        repeatParams, where);                                                                    \
  }                                                                                              \
  template <Parameters>                                                                          \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue, \
            const std::uint64_t mask[], const davsim::api::RepeatTime repeatTime,                \
            const UnaryRepeatParams& repeatParams,                                               \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    davsim::api::emit_unary<opcode, isSetMask>(                                                  \
        #Name, dst, src, {davsim::api::bits_of(static_cast<T>(scalarValue))}, mask, repeatTime,  \
        repeatParams, where);                                                                    \
  }

#define DAVSIM_ONE_TYPE typename T, bool isSetMask = true
#define DAVSIM_TWO_TYPES                         \
  typename T, typename U, bool isSetMask = true, \
                               std::enable_if_t<davsim::api::kIsNumber<T, U>, bool> = true

#define DAVSIM_VECTOR_SCALAR(Name, opcode)                     \
  DAVSIM_VECTOR_SCALAR_FORMS(Name, opcode, DAVSIM_ONE_TYPE, T) \
  DAVSIM_VECTOR_SCALAR_FORMS(Name, opcode, DAVSIM_TWO_TYPES, U)

namespace AscendC {

/// dst = src + scalarValue. int16_t, half, int32_t, float.
DAVSIM_VECTOR_SCALAR(Adds, davsim::isa::Opcode::kAdds)
/// dst = src * scalarValue. int16_t, half, int32_t, float.
DAVSIM_VECTOR_SCALAR(Muls, davsim::isa::Opcode::kMuls)
/// dst = the larger one of src and scalarValue. int16_t, half, int32_t, float.
DAVSIM_VECTOR_SCALAR(Maxs, davsim::isa::Opcode::kMaxs)
/// dst = the smaller one of src and scalarValue. int16_t, half, int32_t, float.
DAVSIM_VECTOR_SCALAR(Mins, davsim::isa::Opcode::kMins)

/// dst = src where it is not negative, else src * scalarValue. half, float.
DAVSIM_VECTOR_SCALAR(LeakyRelu, davsim::isa::Opcode::kLeakyRelu)

/// dst += src * scalarValue. half, float, or half source and scalar into float: then a repeat has
/// 64 lanes, and four blocks of the source.
template <typename T, typename U>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
          const std::int32_t& count,
          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_unary<davsim::isa::Opcode::kAxpy, true>(
      "Axpy", dst, src, {davsim::api::bits_of(scalarValue)}, count, where);
}

template <typename T, typename U, davsim::api::ElementOf<U> S>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const S& scalarValue,
          const std::int32_t& count,
          davsim::api::Location where = davsim::api::Location::current()) {
  Axpy<T, U>(dst, src, static_cast<U>(scalarValue), count, where);
}

template <typename T, typename U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
          std::uint64_t mask, const davsim::api::RepeatTime repeatTime,
          const UnaryRepeatParams& repeatParams,
          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_unary<davsim::isa::Opcode::kAxpy, isSetMask>(
      "Axpy", dst, src, {davsim::api::bits_of(scalarValue)}, mask, repeatTime, repeatParams, where);
}

template <typename T, typename U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
          const std::uint64_t mask[], const davsim::api::RepeatTime repeatTime,
          const UnaryRepeatParams& repeatParams,
          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_unary<davsim::isa::Opcode::kAxpy, isSetMask>(
      "Axpy", dst, src, {davsim::api::bits_of(scalarValue)}, mask, repeatTime, repeatParams, where);
}

}  // namespace AscendC

#undef DAVSIM_VECTOR_SCALAR
#undef DAVSIM_TWO_TYPES
#undef DAVSIM_ONE_TYPE
#undef DAVSIM_VECTOR_SCALAR_FORMS
