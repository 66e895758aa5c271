// Conversions between integers and fp32 against a reference in double (or long double, which holds
// every int64).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "isa/numeric/convert.hpp"
#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using isa::RoundMode;

constexpr RoundMode kModes[] = {RoundMode::kRint, RoundMode::kFloor, RoundMode::kCeil,
                                RoundMode::kRound, RoundMode::kTrunc};

template <class T>
T saturated(float value, RoundMode mode) {
  if (std::isnan(value)) return 0;
  const double whole = round_whole(value, mode);
  // As floating-point numbers, because not every limit of int64 is a double.
  if (whole >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return std::numeric_limits<T>::max();
  if (whole <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(whole);
}

template <class T>
void expect_all_modes(float value) {
  for (RoundMode mode : kModes) {
    ASSERT_EQ(isa::saturating_int<T>(value, mode), saturated<T>(value, mode))
        << std::hexfloat << value << " mode " << static_cast<int>(mode);
  }
}

template <class T>
class NumericToInt : public ::testing::Test {};
using IntTypes =
    ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(NumericToInt, IntTypes);

TYPED_TEST(NumericToInt, RoundsAndSaturates) {
  std::mt19937 random(11);
  for (int i = 0; i < 400'000; ++i) {
    expect_all_modes<TypeParam>(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
  for (double limit : {static_cast<double>(std::numeric_limits<TypeParam>::min()), 0.0,
                       std::ldexp(1.0, std::numeric_limits<TypeParam>::digits)}) {
    for (double offset = -4; offset <= 4; offset += 0.25) {
      const auto value = static_cast<float>(limit + offset);
      expect_all_modes<TypeParam>(value);
      expect_all_modes<TypeParam>(std::nextafter(value, INFINITY));
      expect_all_modes<TypeParam>(std::nextafter(value, -INFINITY));
    }
  }
  for (float special : {INFINITY, -INFINITY, NAN, -0.0f, 0x1p-149f, -0x1p-149f, 0x1p23f, -0x1p23f,
                        0x1.fffffep22f, 8388609.0f}) {
    expect_all_modes<TypeParam>(special);
  }
}

TEST(NumericConvert, WholeFloats) {
  std::mt19937 random(5);
  for (int i = 0; i < 1'000'000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    for (RoundMode mode : kModes) {
      const float whole = isa::round_to_integral(value, mode);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(whole));
      } else {
        ASSERT_EQ(static_cast<double>(whole), round_whole(value, mode)) << std::hexfloat << value;
        ASSERT_EQ(std::signbit(whole), std::signbit(value));
      }
    }
  }
}

TEST(NumericConvert, IntegersToFloat) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 300'000; ++i) {
    const auto wide = static_cast<std::int64_t>(random()) >> (random() % 64);
    const auto narrow = static_cast<std::int32_t>(wide);
    for (RoundMode mode : kModes) {
      ASSERT_EQ(isa::float_from_int(wide, mode), int_to_float(wide, mode)) << wide;
      ASSERT_EQ(isa::float_from_int(narrow, mode), int_to_float(narrow, mode)) << narrow;
    }
  }
  for (std::int64_t value : {INT64_MIN, INT64_MAX, std::int64_t{INT32_MIN}, std::int64_t{INT32_MAX},
                             std::int64_t{0}, std::int64_t{-1}}) {
    for (RoundMode mode : kModes) {
      EXPECT_EQ(isa::float_from_int(value, mode), int_to_float(value, mode)) << value;
    }
  }
  // Documented examples: 2^25 + 3 and 2^35 + 2^12 + 2^11.
  EXPECT_EQ(isa::float_from_int((1 << 25) + 3, RoundMode::kFloor), 0x1p25f);
  EXPECT_EQ(isa::float_from_int((1 << 25) + 3, RoundMode::kRint), 0x1p25f + 4);
  const std::int64_t tie = (std::int64_t{1} << 35) + (1 << 12) + (1 << 11);
  EXPECT_EQ(isa::float_from_int(tie, RoundMode::kTrunc), 0x1p35f + 0x1p12f);
  EXPECT_EQ(isa::float_from_int(tie, RoundMode::kRound), 0x1p35f + 0x1p13f);
}

TEST(NumericConvert, NarrowerIntegersSaturate) {
  EXPECT_EQ((isa::saturating_narrow<std::int16_t>(INT32_MAX)), 32767);
  EXPECT_EQ((isa::saturating_narrow<std::int16_t>(INT32_MIN)), -32768);
  EXPECT_EQ((isa::saturating_narrow<std::int16_t>(-5)), -5);
  EXPECT_EQ((isa::saturating_narrow<std::int32_t>(std::int64_t{1} << 31)), INT32_MAX);
  EXPECT_EQ((isa::saturating_narrow<std::int32_t>(INT64_MIN)), INT32_MIN);
}

}  // namespace
}  // namespace davsim::test
