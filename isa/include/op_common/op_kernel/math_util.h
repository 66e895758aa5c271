// Quotients and multiples of whole numbers from 0 on, for kernels. The divisor is not 0.
#pragma once

#include "kernel_operator.h"

namespace Ops {
namespace Base {

template <class T>
__aicore__ inline constexpr T FloorDiv(T x, T y) {
  return x / y;
}
template <class T>
__aicore__ inline constexpr T FloorAlign(T x, T align) {
  return x / align * align;
}
template <class T>
__aicore__ inline constexpr T CeilDiv(T x, T y) {
  return static_cast<T>(x / y + (x % y != 0 ? 1 : 0));
}
template <class T>
__aicore__ inline constexpr T CeilAlign(T x, T align) {
  return static_cast<T>(CeilDiv(x, align) * align);
}

}  // namespace Base
}  // namespace Ops
