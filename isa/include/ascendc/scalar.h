// Arithmetic of the scalar unit for which C++ has no operator.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "ascendc/language.h"
#include "ascendc/types.h"
#include "isa/numeric/convert.hpp"

namespace davsim::api {

/// A whole number of any type.
struct Whole {
  template <std::integral T>
  constexpr Whole(T number) : value(static_cast<std::int64_t>(number)) {}  // NOLINT: an argument
  std::int64_t value;
};

}  // namespace davsim::api

namespace AscendC {

/// Bits of `valueIn` that are `countValue`.
template <int countValue>
std::int64_t ScalarGetCountOfValue(std::uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1, "ScalarGetCountOfValue: bits are 0 or 1");
  return std::popcount(countValue == 1 ? valueIn : ~valueIn);
}
template <int countValue>
std::int64_t GetBitCount(std::uint64_t valueIn) {
  return ScalarGetCountOfValue<countValue>(valueIn);
}

/// Zeros before the first 1; 64 of 0.
inline std::int64_t ScalarCountLeadingZero(std::uint64_t valueIn) {
  return std::countl_zero(valueIn);
}
inline std::int64_t CountLeadingZero(std::uint64_t valueIn) {
  return ScalarCountLeadingZero(valueIn);
}

/// Bits after the sign bit that are as it is; -1 of 0 and -1, which have no others.
inline std::int64_t CountBitsCntSameAsSignBit(std::int64_t valueIn) {
  if (valueIn == 0 || valueIn == -1) return -1;
  const auto bits = static_cast<std::uint64_t>(valueIn);
  return std::countl_zero(valueIn < 0 ? ~bits : bits) - 1;
}

/// Place of the lowest bit that is `countValue`; -1 if there is none.
template <int countValue>
std::int64_t ScalarGetSFFValue(std::uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1, "ScalarGetSFFValue: bits are 0 or 1");
  const std::uint64_t ones = countValue == 1 ? valueIn : ~valueIn;
  return ones == 0 ? -1 : std::countr_zero(ones);
}
template <int countValue>
std::int64_t GetSFFValue(std::uint64_t valueIn) {
  return ScalarGetSFFValue<countValue>(valueIn);
}

/// float to half or int32_t, rounded as `roundMode` says; out of range saturates to int32_t.
template <typename T, typename U, RoundMode roundMode>
U ScalarCast(T valueIn) {
  static_assert(
      std::is_same_v<T, float> && (std::is_same_v<U, half> || std::is_same_v<U, std::int32_t>),
      "ScalarCast: float to half or int32_t");
  constexpr auto kMode = static_cast<davsim::isa::RoundMode>(roundMode);
  if constexpr (std::is_same_v<U, std::int32_t>) {
    return davsim::isa::saturating_int<std::int32_t>(valueIn, kMode);
  } else {
    return half::from_bits(davsim::isa::half_bits_from_float(valueIn, kMode));
  }
}

/// The same under its later name.
template <typename T, typename U, RoundMode roundMode>
U Cast(T valueIn) {
  return ScalarCast<T, U, roundMode>(valueIn);
}
inline bfloat16_t Cast(const float& value) {
  return bfloat16_t(value);
}
inline float Cast(const bfloat16_t& value) {
  return static_cast<float>(value);
}

inline bfloat16_t ToBfloat16(const float& value) {
  return bfloat16_t(value);
}
inline float ToFloat(const bfloat16_t& value) {
  return static_cast<float>(value);
}

/// num1 / num2, rounded up; 0 where num2 is 0.
constexpr std::int32_t CeilDivision(std::int32_t num1, std::int32_t num2) {
  return num2 == 0 ? 0 : (num1 + num2 - 1) / num2;
}
/// a / b, rounded up.
constexpr std::uint32_t DivCeil(std::uint32_t a, std::uint32_t b) {
  return b == 0 ? 0 : a / b + (a % b == 0 ? 0 : 1);
}
/// The least multiple of b that is not below a.
constexpr std::uint32_t AlignUp(std::uint32_t a, std::uint32_t b) {
  return DivCeil(a, b) * b;
}

/// num1 / num2 of whole numbers that are not negative, rounded up; 0 where num2 is 0.
template <std::integral T, std::integral U>
constexpr std::common_type_t<T, U> Ceil(T num1, U num2) {
  using Common = std::common_type_t<T, U>;
  const auto a = static_cast<Common>(num1), b = static_cast<Common>(num2);
  return b == 0 ? Common{0} : static_cast<Common>(a / b + (a % b == 0 ? 0 : 1));
}

// Kernels often bring helpers of these names along. Theirs win, because an argument of theirs needs
// no conversion.
constexpr std::int64_t CeilDiv(davsim::api::Whole a, davsim::api::Whole b) {
  return Ceil(a.value, b.value);
}
/// The least multiple of b that is not below a.
constexpr std::int64_t CeilAlign(davsim::api::Whole a, davsim::api::Whole b) {
  return Ceil(a.value, b.value) * b.value;
}
constexpr std::int64_t Align(davsim::api::Whole a, davsim::api::Whole b) {
  return CeilAlign(a, b);
}
constexpr std::int64_t RoundUp(davsim::api::Whole a, davsim::api::Whole b) {
  return CeilAlign(a, b);
}
template <auto align>
constexpr std::int64_t RoundUp(davsim::api::Whole a) {
  return CeilAlign(a, align);
}

}  // namespace AscendC

/// What a branch mostly is, said to the compiler.
constexpr bool likely(bool condition) {
  return condition;
}
constexpr bool unlikely(bool condition) {
  return condition;
}
