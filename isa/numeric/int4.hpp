// Four-bit signed integers. Tensors pack two to a byte, the first one in the low bits.
#pragma once

#include <cstdint>
#include <type_traits>

namespace davsim::isa {

/// One int4 by itself: -8 to 7; wider numbers lose their upper bits.
struct int4b_t {
  std::int8_t value : 4;

  int4b_t() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr int4b_t(T number)  // NOLINT: implicit, as on the device
      : value(low_nibble(static_cast<std::int32_t>(number))) {}
  constexpr operator std::int8_t() const { return value; }  // NOLINT: as on the device

 private:
  static constexpr std::int8_t low_nibble(std::int32_t number) {
    return static_cast<std::int8_t>(((number & 0xf) ^ 0x8) - 0x8);
  }
};
static_assert(sizeof(int4b_t) == 1 && std::is_trivially_copyable_v<int4b_t>);

/// Number `index` (0: low bits, 1: high bits) of a packed pair.
constexpr int4b_t int4_of_pair(std::uint8_t pair, std::uint64_t index) {
  return int4b_t(pair >> (index % 2 * 4));
}

/// `pair` with its number `index` replaced.
constexpr std::uint8_t with_int4(std::uint8_t pair, std::uint64_t index, int4b_t number) {
  const unsigned nibble = static_cast<unsigned>(number.value) & 0xfu;
  return static_cast<std::uint8_t>(index % 2 == 0 ? (pair & 0xf0u) | nibble
                                                  : (pair & 0x0fu) | nibble << 4);
}

}  // namespace davsim::isa
