// `condition ? a : b` where one side is half or bfloat16_t and the other another number. The
// device's compiler has these types built in and brings both sides to one type. Here they are
// classes, of which the language says that such a choice is ambiguous; davsim-cc converts the
// sides.
#pragma once

#include <type_traits>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::api {

template <class T>
inline constexpr bool kNumberOf16Bits =
    std::is_same_v<T, isa::half> || std::is_same_v<T, isa::bfloat16_t>;

/// Whether one type is a floating-point class of 16 bits and the other a number of the language.
template <class A, class B>
inline constexpr bool kMixedChoice = (kNumberOf16Bits<A> && std::is_arithmetic_v<B>) ||
                                     (std::is_arithmetic_v<A> && kNumberOf16Bits<B>);

/// The type in which both meet: that of 16 bits wins over integers, wider floating types over it.
template <class A, class B>
using ChoiceType =
    std::conditional_t<kNumberOf16Bits<A>, std::conditional_t<std::is_floating_point_v<B>, B, A>,
                       std::conditional_t<std::is_floating_point_v<A>, A, B>>;

/// One side of a choice beside a side of the type `Other`; as it is unless they are mixed.
template <class Other, class Side>
constexpr decltype(auto) choice(Side&& side) {
  using A = std::remove_cvref_t<Side>;
  using B = std::remove_cvref_t<Other>;
  if constexpr (kMixedChoice<A, B>) {
    return static_cast<ChoiceType<A, B>>(side);
  } else {
    return static_cast<Side&&>(side);
  }
}

}  // namespace davsim::api
