// What kernels compute with types, and with the bits of numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ascendc/language.h"

namespace AscendC {

/// `type` is the first type if `flag` holds, and the second one otherwise.
template <bool flag, typename First, typename Second>
struct Conditional : std::conditional<flag, First, Second> {};
/// Has a `type` only if `flag` holds.
template <bool flag, typename T = void>
struct EnableIf : std::enable_if<flag, T> {};

/// Bits that an element of a tensor has.
template <typename T>
struct SizeOfBits {
  static constexpr std::uint32_t value = 8 * sizeof(T);
};
template <>
struct SizeOfBits<int4b_t> {
  static constexpr std::uint32_t value = 4;
};
/// Whether two elements share a byte.
template <typename T>
constexpr bool IsHalfByteDataType() {
  return std::is_same_v<T, int4b_t>;
}

/// The bits of a number as another type, the lowest first; what T has no bits for is 0.
template <typename T, typename U>
U GetScalarBitcodeValue(T scalarValue) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<U>);
  U bits{};
  std::memcpy(&bits, &scalarValue, std::min(sizeof(T), sizeof(U)));
  return bits;
}
template <typename T>
std::uint64_t GetScalarBitcodeValue(T scalarValue) {
  return GetScalarBitcodeValue<T, std::uint64_t>(scalarValue);
}

}  // namespace AscendC
