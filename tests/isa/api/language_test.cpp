// What plain device code finds without a prefix.
#include "ascendc/language.h"

#include <gtest/gtest.h>

#include "utils/std/algorithm.h"
#include "utils/std/cmath.h"
#include "utils/std/tuple.h"
#include "utils/std/type_traits.h"
#include "utils/std/utility.h"

using namespace AscendC;

namespace {

TEST(DeviceLanguage, ScalarFunctionsWithoutPrefix) {
  static_assert(min(3, 5) == 3 && max(3, 5) == 5);
  static_assert(std::is_same_v<decltype(min(1u, std::uint64_t{2})), std::uint64_t>);
  static_assert(std::is_same_v<decltype(sqrt(2.0f)), float>, "not by way of double");
  static_assert(std::is_same_v<decltype(abs(-2.5f)), float>, "not the C library's int");
  EXPECT_EQ(min(std::int64_t{-1}, 7), -1);
  EXPECT_EQ(abs(-2.5f), 2.5f);
  EXPECT_EQ(abs(-3), 3);
  EXPECT_EQ(sqrt(9.0f), 3.0f);
  EXPECT_EQ(float(max(half(1.5f), half(-2.0f))), 1.5f);
}

TEST(DeviceLanguage, WordsOfTheCompiler) {
  static_assert(std::is_same_v<__fp16, half>);
  const auto* pointer = static_cast<__ubuf__ const __fp16*>(nullptr);
  EXPECT_EQ(pointer, nullptr);
  int evaluated = 0;
  __builtin_assume(++evaluated == 1);
  __builtin_assume(std::is_same_v<int, float>);
  EXPECT_EQ(evaluated, 0) << "a promise is not evaluated";
}

template <typename T>
inline __in_pipe__(V) __out_pipe__(MTE3, S) __sync_alias__ T twice(T x) {
  return x + x;
}
__sync_noalias__ __check_sync_alias__ __sync_in__ __sync_out__ __copyval__ __no_specialization__
__inout_pipe__(S) int three() {
  return 3;
}
struct __align__(64) Line {
  int word;
};
__device_immutable__ __device_builtin__ Line line;

TEST(DeviceLanguage, WordsThatDescribeFunctionsAndTypes) {
  static_assert(std::is_same_v<__bf16, bfloat16_t> && alignof(Line) == 64);
  const auto* bias = static_cast<__biasbuf__ const float*>(nullptr);
  EXPECT_EQ(bias, nullptr);
  EXPECT_EQ(twice(three()), 6);
  EXPECT_EQ(line.word, 0);
}

TEST(DeviceLanguage, WhatStdOffers) {
  static_assert(Std::ceil_div(70, 16) == 5 && Std::ceil_div(64, 16) == 4);
  static_assert(Std::ceil_div(7u, 0u) == 0, "as documented");
  static_assert(std::is_same_v<decltype(Std::ceil_div(std::uint8_t{1}, 2u)), std::uint32_t>);
  static_assert(Std::abs(std::int64_t{-2}) == 2 && Std::abs(-2.5f) == 2.5f);
  EXPECT_EQ(Std::sqrt(2.25f), 1.5f);
  EXPECT_EQ(Std::sqrt(std::int64_t{15}), 3);
  EXPECT_EQ(Std::sqrt(std::int64_t{9223372030926249000}), 3037000498) << "one below a square";
  static_assert(IsSameType<half, half>::value && !IsSameType<half, float>::value);
  static_assert(Std::is_one_of_v<half, float, half> && !Std::is_one_of<int, float, half>::value);
  static_assert(!Std::always_false_v<half> && Std::is_lvalue_reference_v<int&>);
  static_assert(std::is_same_v<Std::remove_cvref<const half&>::type, half>);
  using Pair = Std::tuple<int, float>;
  static_assert(std::is_same_v<Std::tuple_element_t<1, Pair>, float> && !Std::is_enum_v<Pair>);
  static_assert(Std::get<2>(Std::tuple_cat(Std::make_tuple(1, 2), Std::make_tuple(3))) == 3);
}

TEST(DeviceLanguage, OutsideKernelsBothCoreTypesArePossible) {
  bool cube = false, vector = false;
  if ASCEND_IS_NOT_AIV
    cube = true;
  if ASCEND_IS_NOT_AIC
    vector = true;
  EXPECT_TRUE(cube && vector);
}

}  // namespace
