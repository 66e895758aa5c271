// The arguments of a kernel's printf.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::isa {

/// One argument of a kernel's printf. Integers are widened to 64 bits, as on the device.
struct PrintArgument {
  enum class Kind : std::uint8_t { kSigned, kUnsigned, kReal, kText, kPointer };

  PrintArgument(std::int64_t value) : kind(Kind::kSigned), integer(value) {}
  PrintArgument(std::uint64_t value) : kind(Kind::kUnsigned), natural(value) {}
  PrintArgument(double value) : kind(Kind::kReal), real(value) {}
  PrintArgument(const char* value) : kind(Kind::kText), text(value) {}
  PrintArgument(const void* value) : kind(Kind::kPointer), pointer(value) {}

  Kind kind;
  union {
    std::int64_t integer;
    std::uint64_t natural;
    double real;
    const char* text;
    const void* pointer;
  };
};

template <class T>
PrintArgument print_argument(const T& value) {
  if constexpr (requires { typename T::PrintsAs; }) {  // what stands for a number, as tensor(i)
    return print_argument(static_cast<typename T::PrintsAs>(value));
  } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>) {
    return static_cast<double>(static_cast<float>(value));
  } else if constexpr (std::floating_point<T>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_enum_v<T>) {
    return print_argument(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::signed_integral<T>) {
    return std::int64_t{value};
  } else if constexpr (std::unsigned_integral<T>) {
    return std::uint64_t{value};
  } else if constexpr (std::is_convertible_v<T, const char*>) {
    return static_cast<const char*>(value);
  } else {
    static_assert(std::is_pointer_v<T>, "printf: numbers, strings and pointers can be printed");
    return static_cast<const void*>(value);
  }
}

}  // namespace davsim::isa
