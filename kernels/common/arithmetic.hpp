// Small host arithmetic that tilings and validations share.
#pragma once

#include <cstdint>

namespace davsim::operators {

/// a / b rounded up; a at least 0, b positive.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// `value` rounded up to a multiple of `unit`.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return ceil_div(value, unit) * unit;
}

}  // namespace davsim::operators
