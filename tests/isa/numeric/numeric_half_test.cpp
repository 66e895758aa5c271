// half and bfloat16_t against a reference that goes through double.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using isa::RoundMode;

constexpr RoundMode kHalfModes[] = {RoundMode::kNone, RoundMode::kRint,  RoundMode::kFloor,
                                    RoundMode::kCeil, RoundMode::kRound, RoundMode::kTrunc,
                                    RoundMode::kOdd};

static_assert(sizeof(half) == 2 && half(1.5f).bits == 0x3e00 && float(half(1.5f)) == 1.5f);
static_assert(std::is_same_v<decltype(half(1) * 2.0f), float>);
static_assert(std::is_same_v<decltype(half(1) * 2), half>);
static_assert(float(half(3) / half(2) - half(1)) == 0.5f && float(-half(2)) == -2.0f);
/// The sum is rounded once: 2049 is no half, and 2048 + 1.0003 is nearer to 2050 than to 2048.
constexpr half sum_of(half a, float b) {
  a += b;
  return a;
}
static_assert(float(sum_of(half(2048), 1.0003f)) == 2050 && float(sum_of(half(3), 2)) == 5);
constexpr half count_around(half a) {
  const half before = a++, after = --a;
  return before + after * 10 + (++a) * 100 + (a--) * 1000 + a * 10000;
}
static_assert(float(count_around(half(1))) == half(1 + 10 + 200 + 2000 + 10000));
static_assert(bfloat16_t(1.0f).bits == 0x3f80 && float(bfloat16_t(-2)) == -2.0f);

using Narrow = std::uint16_t (*)(float, RoundMode);

void expect_conversion(float value, Format format, RoundMode mode, Narrow narrow) {
  ASSERT_EQ(narrow(value, mode), encode(round_to_format(value, format, mode), format))
      << std::hexfloat << value << " mode " << static_cast<int>(mode);
}

std::uint16_t to_half(float value, RoundMode mode) {
  return isa::half_bits_from_float(value, mode);
}
std::uint16_t to_bfloat16(float value, RoundMode mode) {
  return isa::bfloat16_bits_from_float(value, mode);
}

/// Around every number of a format: itself, the middle to the next one, and the neighbours of both.
template <class Check>
void for_numbers_around(std::uint16_t infinity, Format format, Check check) {
  for (std::uint32_t bits = 0; bits < infinity; ++bits) {
    const double here = decode(static_cast<std::uint16_t>(bits), format);
    const double next = bits + 1u == infinity
                            ? std::ldexp(1.0, format.max_exponent + 1)
                            : decode(static_cast<std::uint16_t>(bits + 1), format);
    for (double point : {here, (here + next) / 2}) {
      const auto value = static_cast<float>(point);
      for (float near :
           {std::nextafter(value, -INFINITY), value, std::nextafter(value, INFINITY)}) {
        check(near);
        check(-near);
      }
    }
  }
}

TEST(NumericHalf, EveryPatternWidensExactly) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto raw = static_cast<std::uint16_t>(bits);
    const double value = decode(raw, kHalfFormat);
    const float wide = isa::float_from_half_bits(raw);
    if (std::isnan(value)) {
      const auto wide_bits = std::bit_cast<std::uint32_t>(wide);
      EXPECT_EQ(wide_bits, (bits & 0x8000u) << 16 | 0x7fc00000u | (bits & 0x3ffu) << 13);
      EXPECT_EQ(isa::half_bits_from_float(wide), raw | 0x200u);
    } else {
      EXPECT_EQ(static_cast<double>(wide), value);
      EXPECT_EQ(std::signbit(wide), std::signbit(value));
      for (RoundMode mode : kHalfModes) EXPECT_EQ(isa::half_bits_from_float(wide, mode), raw);
    }
  }
}

TEST(NumericHalf, NarrowsAsTheReferenceInEveryMode) {
  for_numbers_around(0x7c00, kHalfFormat, [](float value) {
    for (RoundMode mode : kHalfModes) expect_conversion(value, kHalfFormat, mode, to_half);
  });
}

TEST(NumericHalf, NarrowsFloatsOfEveryMagnitude) {
  std::mt19937 random(7);
  for (int i = 0; i < 2'000'000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(value)) {
      const std::uint16_t bits = isa::half_bits_from_float(value);
      EXPECT_GT(bits & 0x7fff, 0x7c00);
      EXPECT_NE(bits & 0x200, 0);
      continue;
    }
    expect_conversion(value, kHalfFormat, kHalfModes[i % std::size(kHalfModes)], to_half);
  }
}

TEST(NumericHalf, KnownNumbers) {
  EXPECT_EQ(half(65504.0f).bits, 0x7bff);
  EXPECT_EQ(half(65519.996f).bits, 0x7bff);
  EXPECT_EQ(half(65520.0f).bits, 0x7c00);  // half way to 2^16: to even, which is infinity
  EXPECT_EQ(isa::half_bits_from_float(65535.0f, RoundMode::kTrunc), 0x7bff);
  EXPECT_EQ(isa::half_bits_from_float(65536.0f, RoundMode::kTrunc), 0x7c00);
  EXPECT_EQ(half(0x1p-25f).bits, 0);
  EXPECT_EQ(half(0x1.000002p-25f).bits, 1);
  EXPECT_EQ(half(-0.0f).bits, 0x8000);
  // Documented example of float -> half: 0.5 + 2^-12.
  EXPECT_EQ(isa::half_bits_from_float(0.5f + 0x1p-12f, RoundMode::kRint), half(0.5f).bits);
  EXPECT_EQ(isa::half_bits_from_float(0.5f + 0x1p-12f, RoundMode::kOdd), half(0.5f).bits + 1);
}

TEST(NumericHalf, DoublesAndIntegersRoundOnce) {
  // As float first, it would be a tie that goes to even.
  const double above_tie = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(half(above_tie).bits, half(1.0f).bits + 1);
  const double below_tie = 1.0 + 3 * 0x1p-11 - 0x1p-40;
  EXPECT_EQ(half(below_tie).bits, half(1.0f).bits + 1);
  EXPECT_EQ(half(-above_tie).bits, half(-1.0f).bits + 1);
  EXPECT_EQ(half(0x1p-25 + 0x1p-70).bits, 1);
  EXPECT_EQ(half(-1e-300).bits, 0x8000);
  EXPECT_EQ(half(1e300).bits, 0x7c00);
  EXPECT_EQ(half(2049).bits, half(2048.0f).bits);
  EXPECT_EQ(half(2051).bits, half(2052.0f).bits);
  EXPECT_EQ(bfloat16_t((1 << 30) + (1 << 22) + 1).bits, bfloat16_t(0x1p30f).bits + 1);
}

TEST(NumericHalf, ArithmeticRoundsOnce) {
  std::mt19937 random(3);
  for (int i = 0; i < 300'000; ++i) {
    const half a = half::from_bits(static_cast<std::uint16_t>(random()));
    const half b = half::from_bits(static_cast<std::uint16_t>(random()));
    const double x = decode(a.bits, kHalfFormat), y = decode(b.bits, kHalfFormat);
    const std::pair<half, double> cases[] = {
        {a + b, x + y}, {a - b, x - y}, {a * b, x * y}, {a / b, x / y}};
    for (const auto& [actual, exact] : cases) {
      if (std::isnan(exact)) {
        EXPECT_TRUE(std::isnan(float(actual)));
      } else {
        ASSERT_EQ(actual.bits, to_half_bits(exact));
      }
    }
  }
}

TEST(NumericBfloat16, NarrowsAsTheReferenceInEveryMode) {
  for_numbers_around(0x7f80, kBfloat16Format, [](float value) {
    for (RoundMode mode : kHalfModes) {
      if (mode == RoundMode::kOdd) continue;  // not a conversion of the device
      expect_conversion(value, kBfloat16Format, mode, to_bfloat16);
    }
  });
}

TEST(NumericBfloat16, NanStaysNan) {
  EXPECT_EQ(isa::bfloat16_bits_from_float(std::bit_cast<float>(0x7f800001u)), 0x7fc0);
  EXPECT_EQ(isa::bfloat16_bits_from_float(std::bit_cast<float>(0xffffffffu)), 0xffff);
  EXPECT_EQ(isa::bfloat16_bits_from_float(INFINITY), 0x7f80);
}

}  // namespace
}  // namespace davsim::test
