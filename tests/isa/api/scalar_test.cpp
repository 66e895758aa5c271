// Bit counting and scalar conversions.
#include "ascendc/scalar.h"

#include <gtest/gtest.h>

namespace davsim::test {
namespace {

using namespace AscendC;

TEST(ScalarTest, CountsBits) {
  EXPECT_EQ(ScalarGetCountOfValue<1>(0xff0full), 12);
  EXPECT_EQ(ScalarGetCountOfValue<0>(0xff0full), 52);
  EXPECT_EQ(GetBitCount<1>(~0ull), 64);
  EXPECT_EQ(ScalarCountLeadingZero(0), 64);
  EXPECT_EQ(ScalarCountLeadingZero(1), 63);
  EXPECT_EQ(CountLeadingZero(~0ull), 0);
}

TEST(ScalarTest, FindsTheLowestBit) {
  EXPECT_EQ(ScalarGetSFFValue<1>(0b1000), 3);
  EXPECT_EQ(ScalarGetSFFValue<0>(0b0111), 3);
  EXPECT_EQ(ScalarGetSFFValue<1>(0), -1);
  EXPECT_EQ(GetSFFValue<0>(~0ull), -1);
}

TEST(ScalarTest, CountsBitsLikeTheSign) {
  EXPECT_EQ(CountBitsCntSameAsSignBit(1), 62);
  EXPECT_EQ(CountBitsCntSameAsSignBit(-2), 62);
  EXPECT_EQ(CountBitsCntSameAsSignBit(INT64_MAX), 0);
  EXPECT_EQ(CountBitsCntSameAsSignBit(INT64_MIN), 0);
  EXPECT_EQ(CountBitsCntSameAsSignBit(0), -1);
  EXPECT_EQ(CountBitsCntSameAsSignBit(-1), -1);
}

TEST(ScalarTest, ConvertsAndRounds) {
  EXPECT_EQ((ScalarCast<float, std::int32_t, RoundMode::CAST_FLOOR>(-2.5f)), -3);
  EXPECT_EQ((ScalarCast<float, std::int32_t, RoundMode::CAST_CEIL>(-2.5f)), -2);
  EXPECT_EQ((ScalarCast<float, std::int32_t, RoundMode::CAST_ROUND>(2.5f)), 3);
  EXPECT_EQ((ScalarCast<float, std::int32_t, RoundMode::CAST_RINT>(2.5f)), 2);
  EXPECT_EQ((ScalarCast<float, std::int32_t, RoundMode::CAST_RINT>(1e20f)), INT32_MAX);
  // 1 + 2^-11 lies between two halves: to even, or to the odd one.
  EXPECT_EQ((ScalarCast<float, half, RoundMode::CAST_NONE>(1.0f + 0x1p-11f)).bits, 0x3c00);
  EXPECT_EQ((ScalarCast<float, half, RoundMode::CAST_ODD>(1.0f + 0x1p-11f)).bits, 0x3c01);
  EXPECT_EQ(ToFloat(ToBfloat16(1.0f + 0x1p-8f)), 1.0f);
  EXPECT_EQ(CeilDivision(7, 3), 3);
  EXPECT_EQ(CeilDivision(6, 3), 2);
  static_assert(DivCeil(65, 32) == 3 && DivCeil(64, 32) == 2 && DivCeil(1, 0) == 0);
  static_assert(DivCeil(0xffffffff, 2) == 0x80000000);
  static_assert(likely(2 > 1) && !unlikely(2 < 1));
  static_assert(AlignUp(65, 32) == 96 && AlignUp(64, 32) == 64 && AlignUp(0, 32) == 0);
  static_assert(Ceil(65u, 32) == 3u && Ceil(std::int64_t{64}, 32u) == 2 && Ceil(1, 0) == 0);
  static_assert(CeilDiv(7, 2u) == 4 && CeilAlign(7, 4) == 8 && Align(8u, 4) == 8);
  static_assert(RoundUp(17, 16) == 32 && RoundUp<16>(16) == 16);
}

// A kernel's own helper of such a name is the one that is called.
template <typename T>
constexpr T CeilDiv(T a, T) {
  return a;
}
static_assert(CeilDiv(7u, 2u) == 7u);

}  // namespace
}  // namespace davsim::test
