// Conversions between element types; forms as in vector_binary.h.
#pragma once

#include "ascendc/vector_deq_scale.h"
#include "ascendc/vector_unary.h"

namespace davsim::api {

/// Parameters of a Cast beside its operands; int32_t to half has the scale of SetDeqScale too.
template <typename T, typename U>
UnaryExtra cast_extra(const AscendC::RoundMode& mode, Location where) {
  constexpr isa::DType kTo = dtype_of<T>();
  constexpr isa::DType kFrom = dtype_of<U>();
  const auto value = static_cast<std::int64_t>(mode);
  require_range("Cast", "roundMode", value, 0, static_cast<std::int64_t>(isa::RoundMode::kOdd),
                where);
  UnaryExtra extra;
  extra.round = static_cast<isa::RoundMode>(value);
  if (kTo == isa::DType::kF16 && kFrom == isa::DType::kI32) {
    extra.scalar = deq_scale("Cast", isa::DeqForm::kHalf, where);
  }
  return extra;
}

}  // namespace davsim::api

namespace AscendC {

/// dst = src in another type, rounded as `roundMode` says; what does not fit saturates. Pairs of
/// types and their modes: docs/numerics.md. The wider of the two types decides about repeats and
/// mask: from half to int32_t a repeat has 64 lanes, and four blocks of src.
template <typename T, typename U>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
          const std::uint32_t count,
          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_unary<davsim::isa::Opcode::kCast, true>(
      "Cast", dst, src, davsim::api::cast_extra<T, U>(roundMode, where), count, where);
}

template <typename T, typename U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
          const std::uint64_t mask, const davsim::api::RepeatTime repeatTime,
          const UnaryRepeatParams& repeatParams,
          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_unary<davsim::isa::Opcode::kCast, isSetMask>(
      "Cast", dst, src, davsim::api::cast_extra<T, U>(roundMode, where), mask, repeatTime,
      repeatParams, where);
}

template <typename T, typename U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
          const std::uint64_t mask[], const davsim::api::RepeatTime repeatTime,
          const UnaryRepeatParams& repeatParams,
          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_unary<davsim::isa::Opcode::kCast, isSetMask>(
      "Cast", dst, src, davsim::api::cast_extra<T, U>(roundMode, where), mask, repeatTime,
      repeatParams, where);
}

}  // namespace AscendC
