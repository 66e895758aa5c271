// The SIMD C API: modes that calls of cube cores take. Older kernels give their numbers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"

enum class asc_unit_flag_mode : std::uint8_t { DISABLE = 0, ENABLE_KEEP = 2, ENABLE_UPDATE = 3 };
enum class asc_relu_pre_mode : std::uint8_t { NONE = 0, NORMAL = 1, SCALAR = 2, VECTOR = 3 };
using asc_quant_mode = QuantMode_t;

namespace davsim::api {

/// A mode by its name or by its number.
struct CMode {
  template <typename T>
  requires(std::is_enum_v<T> || std::is_integral_v<T>)
      CMode(T mode)  // NOLINT(google-explicit-constructor): that is what it is for
      : number(static_cast<std::uint8_t>(mode)) {}
  std::uint8_t number;
};

}  // namespace davsim::api
