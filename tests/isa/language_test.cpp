// What plain device code finds without a prefix.
#include "ascendc/language.h"

#include <gtest/gtest.h>

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

TEST(DeviceLanguage, OutsideKernelsBothCoreTypesArePossible) {
  bool cube = false, vector = false;
  if ASCEND_IS_NOT_AIV
    cube = true;
  if ASCEND_IS_NOT_AIC
    vector = true;
  EXPECT_TRUE(cube && vector);
}

}  // namespace
