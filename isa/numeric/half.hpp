// IEEE 754 binary16 as the device's `half`: a literal type that stores 16 bits and computes in
// fp32, every result rounded to nearest even.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "isa/numeric/float_from.hpp"
#include "isa/numeric/min_max.hpp"
#include "isa/numeric/round_mode.hpp"

namespace davsim::isa {

/// fp32 -> fp16. What is too large after rounding gives infinity, whatever the mode; NaN stays NaN
/// (made quiet, upper payload bits kept). Without branches, so that compilers vectorise it.
DAVSIM_IN_LOOPS constexpr std::uint16_t half_bits_from_float(float value,
                                                             RoundMode mode = RoundMode::kRint) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t exponent = magnitude >> 23;
  const std::uint32_t mantissa = (magnitude & 0x7fffffu) | (exponent != 0 ? 0x800000u : 0u);
  // fp16 numbers below 2^-14 (fp32 exponent 113) are multiples of 2^-24.
  const bool normal = exponent >= 113u;
  const std::uint32_t drop = normal ? 13u : std::min(126u - exponent, 25u);
  const std::uint32_t last = (mantissa >> drop) & 1u;
  const std::uint32_t kept =
      (mantissa + rounding_increment(mode, sign >> 15, last, 1u << (drop - 1u))) >> drop;
  // `kept` of a normal number has its leading bit, which adds the missing 1 to the exponent.
  const std::uint32_t rounded = (normal ? (exponent - 113u) << 10 : 0u) + kept;
  const std::uint32_t finite = std::min(rounded, 0x7c00u);
  const std::uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  return static_cast<std::uint16_t>(sign | (magnitude > 0x7f800000u ? nan : finite));
}

/// fp16 -> fp32, exact; NaN is made quiet.
DAVSIM_IN_LOOPS constexpr float float_from_half_bits(std::uint16_t half_bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half_bits & 0x8000u) << 16;
  const std::uint32_t magnitude = half_bits & 0x7fffu;
  // Read as an fp32 the magnitude is 2^112 too small; the product is exact, subnormals included.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t special =
      0x7f800000u | (magnitude << 13) | (magnitude > 0x7c00u ? 0x400000u : 0u);
  const std::uint32_t finite = std::bit_cast<std::uint32_t>(scaled);
  return std::bit_cast<float>(sign | (magnitude >= 0x7c00u ? special : finite));
}

struct half {
  std::uint16_t bits;

  half() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr half(T value)  // NOLINT: implicit, as on the device
      : bits(half_bits_from_float(float_for_rounding(value))) {}
  static constexpr half from_bits(std::uint16_t raw) {
    half h{};
    h.bits = raw;
    return h;
  }
  constexpr operator float() const {
    return float_from_half_bits(bits);
  }  // NOLINT: as on the device

  constexpr half& operator+=(half o) { return *this = half(float(*this) + float(o)); }
  constexpr half& operator-=(half o) { return *this = half(float(*this) - float(o)); }
  constexpr half& operator*=(half o) { return *this = half(float(*this) * float(o)); }
  constexpr half& operator/=(half o) { return *this = half(float(*this) / float(o)); }
  // As in C the operation is that of both types, and its result is rounded once.
#define DAVSIM_HALF_ASSIGNMENT(op)      \
  template <class T>                    \
  requires std::is_arithmetic_v<T>      \
  constexpr half& operator op##=(T o) { \
    return *this = half(*this op o);    \
  }
  DAVSIM_HALF_ASSIGNMENT(+)
  DAVSIM_HALF_ASSIGNMENT(-)
  DAVSIM_HALF_ASSIGNMENT(*)
  DAVSIM_HALF_ASSIGNMENT(/)
#undef DAVSIM_HALF_ASSIGNMENT
  constexpr half& operator++() {
    return *this += half(1);
  }
  constexpr half& operator--() {
    return *this -= half(1);
  }
  constexpr half operator++(int) {
    const half before = *this;
    ++*this;
    return before;
  }
  constexpr half operator--(int) {
    const half before = *this;
    --*this;
    return before;
  }
};
static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half>);

/// The type in which `half` and T meet: integers become half, wider floating types win.
template <class T>
using HalfCommon = std::conditional_t<std::is_floating_point_v<T>, T, half>;

#define DAVSIM_HALF_OPERATOR(op)                                           \
  constexpr half operator op(half a, half b) {                             \
    return half(float(a) op float(b));                                     \
  }                                                                        \
  template <class T>                                                       \
  requires std::is_arithmetic_v<T>                                         \
  constexpr HalfCommon<T> operator op(half a, T b) {                       \
    return static_cast<HalfCommon<T>>(a) op static_cast<HalfCommon<T>>(b); \
  }                                                                        \
  template <class T>                                                       \
  requires std::is_arithmetic_v<T>                                         \
  constexpr HalfCommon<T> operator op(T a, half b) {                       \
    return static_cast<HalfCommon<T>>(a) op static_cast<HalfCommon<T>>(b); \
  }
DAVSIM_HALF_OPERATOR(+)
DAVSIM_HALF_OPERATOR(-)
DAVSIM_HALF_OPERATOR(*)
DAVSIM_HALF_OPERATOR(/)
#undef DAVSIM_HALF_OPERATOR

constexpr half operator-(half a) {
  return half::from_bits(static_cast<std::uint16_t>(a.bits ^ 0x8000u));
}

}  // namespace davsim::isa
