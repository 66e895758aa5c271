// Numbers as an fp32 that a 16-bit type can be rounded from.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace davsim::isa {

/// `value` as an fp32 whose rounding to fp16 or bf16 is that of `value` itself. A plain conversion
/// of a double or a large integer would round twice: an inexact one is therefore rounded to odd,
/// which no later rounding takes for a tie.
template <class T>
constexpr float float_for_rounding(T value) {
  static_assert(std::is_arithmetic_v<T>);
  if constexpr (std::is_same_v<T, float>) {
    return value;
  } else {
    // Beyond every 16-bit type, and within what converts to float.
    constexpr double kLarge = 0x1.fffffep127;
    const auto wide = static_cast<double>(value);
    if (!(wide > -kLarge && wide < kLarge)) return static_cast<float>(value);
    const auto nearest = static_cast<float>(value);
    const auto back = static_cast<double>(nearest);
    const auto bits = std::bit_cast<std::uint32_t>(nearest);
    if (back == wide || (bits & 1u) != 0) return nearest;
    // The odd neighbour on the side of `value`. An inexact result that is 0 counts as even, too.
    const bool away = (wide < 0) ? wide < back : wide > back;
    return std::bit_cast<float>(away ? bits + 1u : bits - 1u);
  }
}

}  // namespace davsim::isa
