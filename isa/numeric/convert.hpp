// Conversions between integers and fp32 in every rounding mode, saturating where the target is too
// small: the scalar definition of what Cast does. Without branches where a loop over them is to be
// vectorised.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "isa/numeric/round_mode.hpp"

namespace davsim::isa {

/// `value` rounded to a whole number. Infinities and NaN stay what they are; results of 0 keep the
/// sign of `value`. kOdd does not exist here and truncates.
DAVSIM_IN_LOOPS constexpr float round_to_integral(float value, RoundMode mode) {
  constexpr float kAllWhole = 0x1p23f;  // from here on every fp32 is whole
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits & 0x80000000u;
  const float magnitude = std::bit_cast<float>(bits ^ sign);
  const float nearest = (magnitude + kAllWhole) - kAllWhole;  // ties to even
  const float below = nearest - (nearest > magnitude ? 1.0f : 0.0f);
  const float above = below + (below < magnitude ? 1.0f : 0.0f);
  float whole = below;
  switch (mode) {
    case RoundMode::kNone:
    case RoundMode::kRint:
      whole = nearest;
      break;
    case RoundMode::kFloor:
      whole = sign != 0 ? above : below;
      break;
    case RoundMode::kCeil:
      whole = sign != 0 ? below : above;
      break;
    case RoundMode::kRound:
      whole = below + (magnitude - below >= 0.5f ? 1.0f : 0.0f);
      break;
    case RoundMode::kTrunc:
    case RoundMode::kOdd:
      break;
  }
  const float result = magnitude < kAllWhole ? whole : magnitude;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(result) | sign);
}

/// Whole fp32 -> integer; out of range saturates, NaN gives 0.
template <std::integral T>
DAVSIM_IN_LOOPS constexpr T saturating_whole(float whole) {
  using Wide = std::conditional_t<sizeof(T) < 4, std::int32_t, T>;
  constexpr T kHigh = std::numeric_limits<T>::max();
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::min());  // 0 or a power of two
  // The largest fp32 that fits: the integer's highest bits.
  constexpr int kExcess =
      std::numeric_limits<T>::digits > 24 ? std::numeric_limits<T>::digits - 24 : 0;
  constexpr auto kHighest = static_cast<float>((kHigh >> kExcess) << kExcess);
  const float number = whole == whole ? whole : 0.0f;
  const float not_low = number < kLow ? kLow : number;
  const float bounded = not_low > kHighest ? kHighest : not_low;
  const auto inside = static_cast<T>(static_cast<Wide>(bounded));
  return number > kHighest ? kHigh : inside;
}

/// fp32 -> integer, rounded; out of range saturates, NaN gives 0.
template <std::integral T>
DAVSIM_IN_LOOPS constexpr T saturating_int(float value, RoundMode mode) {
  return saturating_whole<T>(round_to_integral(value, mode));
}

/// Integer -> narrower integer; out of range saturates.
template <std::signed_integral To, std::signed_integral From>
constexpr To saturating_narrow(From value) {
  constexpr auto kLow = static_cast<From>(std::numeric_limits<To>::min());
  constexpr auto kHigh = static_cast<From>(std::numeric_limits<To>::max());
  return static_cast<To>(value < kLow ? kLow : value > kHigh ? kHigh : value);
}

/// Integer -> fp32, rounded.
template <std::signed_integral From>
DAVSIM_IN_LOOPS constexpr float float_from_int(From value, RoundMode mode) {
  if (mode == RoundMode::kNone || mode == RoundMode::kRint) return static_cast<float>(value);
  const bool negative = value < 0;
  const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  const std::uint64_t magnitude = negative ? std::uint64_t{0} - wide : wide;
  const int length = std::bit_width(magnitude);
  const int drop = length > 24 ? length - 24 : 0;
  if (drop == 0) return static_cast<float>(value);  // exact
  const std::uint64_t last = (magnitude >> drop) & 1u;
  const std::uint64_t half_step = std::uint64_t{1} << (drop - 1);
  const std::uint64_t sign = negative ? 1 : 0;
  // At most 2^63 + 2^39: no carry is lost.
  const std::uint64_t kept = (magnitude + rounding_increment(mode, sign, last, half_step)) >> drop;
  const auto scale = std::bit_cast<float>(static_cast<std::uint32_t>(127 + drop) << 23);
  const float result = static_cast<float>(kept) * scale;
  return negative ? -result : result;
}

}  // namespace davsim::isa
