// AscendC::Std: the part of the standard library that device code has.
#pragma once

#include <math.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

/// What the device offers of the standard library.
namespace AscendC::Std {
using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_volatile;
using std::add_volatile_t;
using std::apply;
using std::bool_constant;
using std::common_type;
using std::common_type_t;
using std::conditional;
using std::conditional_t;
using std::conjunction;
using std::conjunction_v;
using std::decay;
using std::decay_t;
using std::declval;
using std::disjunction;
using std::disjunction_v;
using std::enable_if;
using std::enable_if_t;
using std::exchange;
using std::extent;
using std::extent_v;
using std::false_type;
using std::forward;
using std::forward_as_tuple;
using std::get;
using std::ignore;
using std::index_sequence;
using std::index_sequence_for;
using std::integer_sequence;
using std::integral_constant;
using std::invoke_result;
using std::invoke_result_t;
using std::is_arithmetic;
using std::is_arithmetic_v;
using std::is_array;
using std::is_array_v;
using std::is_assignable;
using std::is_assignable_v;
using std::is_base_of;
using std::is_base_of_v;
using std::is_class;
using std::is_class_v;
using std::is_compound;
using std::is_compound_v;
using std::is_const;
using std::is_const_v;
using std::is_constructible;
using std::is_constructible_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_copy_assignable;
using std::is_copy_assignable_v;
using std::is_copy_constructible;
using std::is_copy_constructible_v;
using std::is_default_constructible;
using std::is_default_constructible_v;
using std::is_destructible;
using std::is_destructible_v;
using std::is_empty;
using std::is_empty_v;
using std::is_enum;
using std::is_enum_v;
using std::is_final;
using std::is_final_v;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_function;
using std::is_function_v;
using std::is_fundamental;
using std::is_fundamental_v;
using std::is_integral;
using std::is_integral_v;
using std::is_invocable;
using std::is_invocable_v;
using std::is_lvalue_reference;
using std::is_lvalue_reference_v;
using std::is_member_pointer;
using std::is_member_pointer_v;
using std::is_move_assignable;
using std::is_move_assignable_v;
using std::is_move_constructible;
using std::is_move_constructible_v;
using std::is_null_pointer;
using std::is_null_pointer_v;
using std::is_object;
using std::is_object_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_polymorphic;
using std::is_polymorphic_v;
using std::is_reference;
using std::is_reference_v;
using std::is_rvalue_reference;
using std::is_rvalue_reference_v;
using std::is_same;
using std::is_same_v;
using std::is_scalar;
using std::is_scalar_v;
using std::is_signed;
using std::is_signed_v;
using std::is_standard_layout;
using std::is_standard_layout_v;
using std::is_trivial;
using std::is_trivial_v;
using std::is_trivially_copyable;
using std::is_trivially_copyable_v;
using std::is_union;
using std::is_union_v;
using std::is_unsigned;
using std::is_unsigned_v;
using std::is_void;
using std::is_void_v;
using std::is_volatile;
using std::is_volatile_v;
using std::make_index_sequence;
using std::make_integer_sequence;
using std::make_pair;
using std::make_signed;
using std::make_signed_t;
using std::make_tuple;
using std::make_unsigned;
using std::make_unsigned_t;
using std::move;
using std::negation;
using std::negation_v;
using std::pair;
using std::rank;
using std::rank_v;
using std::remove_all_extents;
using std::remove_all_extents_t;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_cvref;
using std::remove_cvref_t;
using std::remove_extent;
using std::remove_extent_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::swap;
using std::tie;
using std::true_type;
using std::tuple;
using std::tuple_cat;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::tuple_size_v;
using std::type_identity;
using std::type_identity_t;
using std::underlying_type;
using std::underlying_type_t;
using std::void_t;

/// False for every type: for static_assert in templates that must not be used.
template <typename...>
inline constexpr bool always_false_v = false;
/// Whether T is one of the types behind it.
template <typename T, typename... Types>
inline constexpr bool is_one_of_v = (std::is_same_v<T, Types> || ...);
template <typename T, typename... Types>
struct is_one_of : std::bool_constant<is_one_of_v<T, Types...>> {};

/// Names of the vendor's own.
template <typename T, typename U>
using IsSame = std::is_same<T, U>;
template <std::size_t v>
using Int = std::integral_constant<std::size_t, v>;
template <typename T>
struct is_tuple : std::false_type {};
template <typename... Types>
struct is_tuple<std::tuple<Types...>> : std::true_type {};
template <typename T>
inline constexpr bool is_tuple_v = is_tuple<T>::value;

/// Of two numbers, which meet in the first one's type.
template <typename T, typename U>
constexpr T max(const T a, const U b) {
  return a > static_cast<T>(b) ? a : static_cast<T>(b);
}
template <typename T, typename U>
constexpr T min(const T a, const U b) {
  return a > static_cast<T>(b) ? static_cast<T>(b) : a;
}
template <typename T>
constexpr T abs(const T a) {
  return a < T(0) ? static_cast<T>(-a) : a;
}
/// Of int64_t the whole part.
template <typename T>
T sqrt(const T a) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::int64_t>,
                "Std::sqrt takes float and int64_t");
  // Wide enough for every int64_t.
  return static_cast<T>(::sqrtl(static_cast<long double>(a)));
}
/// a / b rounded up, of integers that are not negative; 0 where b is 0.
template <typename T, typename U>
constexpr auto ceil_div(const T& a, const U& b) -> decltype(a / b) {
  static_assert(std::is_integral_v<T> && std::is_integral_v<U>, "Std::ceil_div takes integers");
  return b == 0 ? 0 : a / b + (a % b == 0 ? 0 : 1);
}

}  // namespace AscendC::Std
