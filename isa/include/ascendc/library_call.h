// How the headers of the high-level API (lib/) hand calls to isa/api/library, where their code is
// compiled once: tensors without the type of their elements, and what a refusal names.
#pragma once

#include <cstdint>

#include "ascendc/refuse.h"
#include "ascendc/tensor.h"

namespace davsim::api::lib {

/// A tensor of UB whose elements have the type `at.type`.
struct Tensor {
  Tensor() = default;
  template <typename T>
  Tensor(const AscendC::LocalTensor<T>& tensor)  // NOLINT(google-explicit-constructor)
      : at(tensor.Operand()), bytes(tensor.GetLength()) {}

  /// Whether the call has the tensor.
  bool present() const { return at.space != isa::Space::kNone; }
  isa::DType type() const { return at.type; }
  /// Bytes of `elements` elements.
  std::uint32_t bytes_of(std::uint32_t elements) const {
    return static_cast<std::uint32_t>(elements * isa::dtype_bits(at.type) / 8);
  }
  std::uint32_t elements() const {
    return static_cast<std::uint32_t>(bytes * 8ull / isa::dtype_bits(at.type));
  }
  /// The tensor from element `element` on.
  Tensor from(std::uint32_t element) const {
    Tensor rest = *this;
    const std::uint32_t skipped = bytes_of(element);
    rest.at.addr += skipped;
    rest.bytes = skipped < bytes ? bytes - skipped : 0;
    return rest;
  }
  /// The same bytes as elements of another type.
  Tensor as(isa::DType type) const {
    Tensor other = *this;
    other.at.type = type;
    return other;
  }

  isa::Operand at;
  std::uint32_t bytes = 0;
};

/// A tensor that a configuration may leave out.
template <bool absent>
Tensor unless(const Tensor& tensor) {
  return absent ? Tensor() : tensor;
}

/// A call under way: its name, for refusals, and its line.
struct Call {
  const char* name;
  Location where;
};

/// A scalar of any type of elements as a number.
template <typename T>
double number(T value) {
  if constexpr (std::is_same_v<T, isa::half> || std::is_same_v<T, isa::bfloat16_t>) {
    return static_cast<float>(value);
  } else {
    return static_cast<double>(value);
  }
}

/// Whether elements have one of the types.
template <typename T, typename... Types>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Types> || ...);

}  // namespace davsim::api::lib
