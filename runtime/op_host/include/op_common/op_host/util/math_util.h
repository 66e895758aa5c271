// Quotients and multiples of whole numbers, for tiling functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace Ops {
namespace Base {

/// x / y; x if y is 0.
template <class T>
auto FloorDiv(T x, T y) -> typename std::enable_if<std::is_integral<T>::value, T>::type {
  return y == 0 ? x : x / y;
}

/// The largest multiple of `align` up to x; 0 if `align` is 0.
template <class T>
auto FloorAlign(T x, T align) -> typename std::enable_if<std::is_integral<T>::value, T>::type {
  return align == 0 ? 0 : x / align * align;
}

/// The least whole number that is not below the quotient; x if y is 0.
template <class T>
auto CeilDiv(T x, T y) -> typename std::enable_if<std::is_integral<T>::value, T>::type {
  if (y == 0) return x;
  const T quotient = x / y;
  // Division rounds towards zero, which is up where the signs differ.
  return x % y != 0 && (x < 0) == (y < 0) ? quotient + 1 : quotient;
}

/// The least multiple of `align` from x on, or the largest number of T where there is none; 0 if
/// `align` is 0.
template <class T>
auto CeilAlign(T x, T align) -> typename std::enable_if<std::is_integral<T>::value, T>::type {
  if (align == 0) return 0;
  T multiple = 0;
  return __builtin_mul_overflow(CeilDiv(x, align), align, &multiple) ? std::numeric_limits<T>::max()
                                                                     : multiple;
}

/// Whether two numbers differ by at most epsilon. Infinities of one sign are equal, NaN never.
template <class T>
auto IsFloatEqual(T a, T b) ->
    typename std::enable_if<std::is_floating_point<T>::value, bool>::type {
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= std::numeric_limits<T>::epsilon();
}

}  // namespace Base
}  // namespace Ops
