// Rounding for the references, in plain code. It shares nothing with the kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace davsim::reference {

/// `x`, or infinity with its sign where fp32 has no number as large. Rounds nothing else.
inline double within_f32(double x) {
  const double single = static_cast<float>(x);
  return std::isinf(single) ? single : x;
}

/// `x` to fp32 and then to the nearest bf16, ties to even.
inline double to_bf16(double x) {
  float value = static_cast<float>(x);
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7f800000u) == 0x7f800000u) return value;
  bits = (bits + 0x7fffu + (bits >> 16 & 1)) & 0xffff0000u;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace davsim::reference
