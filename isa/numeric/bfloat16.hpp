// bfloat16 as the device's `bfloat16_t`: the upper half of an fp32; arithmetic goes through fp32.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "isa/numeric/float_from.hpp"
#include "isa/numeric/round_mode.hpp"

namespace davsim::isa {

/// fp32 -> bf16; what is too large after rounding gives infinity, NaN stays NaN (made quiet, upper
/// payload bits kept).
DAVSIM_IN_LOOPS constexpr std::uint16_t bfloat16_bits_from_float(
    float value, RoundMode mode = RoundMode::kRint) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t last = (bits >> 16) & 1u;
  // The carry of the magnitude cannot reach the sign: numbers end at 0x7f800000.
  const std::uint32_t rounded = (bits + rounding_increment(mode, bits >> 31, last, 0x8000u)) >> 16;
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(nan ? (bits >> 16) | 0x40u : rounded);
}

/// bf16 -> fp32, exact.
constexpr float float_from_bfloat16_bits(std::uint16_t raw) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(raw) << 16);
}

struct bfloat16_t {
  std::uint16_t bits;

  bfloat16_t() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr bfloat16_t(T value)  // NOLINT: implicit, as half's
      : bits(bfloat16_bits_from_float(float_for_rounding(value))) {}
  static constexpr bfloat16_t from_bits(std::uint16_t raw) {
    bfloat16_t b{};
    b.bits = raw;
    return b;
  }
  constexpr operator float() const {  // NOLINT: implicit, as on the device
    return float_from_bfloat16_bits(bits);
  }
};
static_assert(sizeof(bfloat16_t) == 2 && std::is_trivially_copyable_v<bfloat16_t>);

}  // namespace davsim::isa
