// The pieces that the references of the attention operators share.
#include "reference/attention_reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/rounding.hpp"

namespace davsim::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

TEST(AttentionReference, WeightsValuesByTheExponentialsOfTheirScores) {
  const double three = std::log(3.0);
  const AttentionRow row = attend({0, three}, {1, 10, 5, 50}, 2);
  EXPECT_NEAR(row.out[0], (1 + 3 * 5) / 4.0, 1e-13);
  EXPECT_NEAR(row.out[1], (10 + 3 * 50) / 4.0, 1e-13);
  EXPECT_NEAR(row.lse, std::log(4.0), 1e-15);
}

TEST(AttentionReference, HugeScoresDoNotOverflow) {
  const AttentionRow row = attend({1e6, 1e6}, {1, 3}, 1);
  EXPECT_DOUBLE_EQ(row.out[0], 2);
  EXPECT_NEAR(row.lse, 1e6 + std::log(2.0), 1e-9);
}

TEST(AttentionReference, ColumnsOfMinusInfinityAreNotThere) {
  const AttentionRow row = attend({-kInf, 0, -kInf}, {kNan, 7, kInf}, 1);
  EXPECT_DOUBLE_EQ(row.out[0], 7);
  EXPECT_DOUBLE_EQ(row.lse, 0);
}

TEST(AttentionReference, ARowWithoutColumnsIsZeroAndInfinite) {
  for (const std::vector<double>& scores : {std::vector<double>{}, {-kInf, -kInf}}) {
    const AttentionRow row = attend(scores, std::vector<double>(scores.size(), kNan), 1);
    EXPECT_EQ(row.out[0], 0);
    EXPECT_EQ(row.lse, kInf);
  }
}

TEST(AttentionReference, NanScoresStayNan) {
  EXPECT_TRUE(std::isnan(attend({0, kNan}, {1, 1}, 1).out[0]));
}

TEST(AttentionReference, Int8ProbabilitiesOfABlockFarBelowTheMaximumAreNothing) {
  Int8Probabilities how;
  how.block = 2;
  const AttentionRow row = attend_int8({1e6, 1e6, -1e6, 0}, {1, 3, 50, 70}, 1, how);
  EXPECT_DOUBLE_EQ(row.out[0], 2);
  EXPECT_NEAR(row.lse, 1e6 + std::log(2.0), 1e-9);
}

TEST(AttentionReference, AScoreThatAFloatDoesNotHoldMakesItsRowNan) {
  EXPECT_EQ(within_f32(3.4e38), 3.4e38);
  EXPECT_EQ(within_f32(-3.5e38), -kInf);
  const AttentionRow row = attend({0, within_f32(3.5e38)}, {1, 1}, 1);
  EXPECT_TRUE(std::isnan(row.out[0]) && std::isnan(row.lse));
  EXPECT_DOUBLE_EQ(attend({0, within_f32(-3.5e38)}, {1, 2}, 1).out[0], 1);
}

TEST(AttentionReference, ElementsOfTheThreeKindsOfCaches) {
  const std::int32_t pages[] = {2, 0};
  // Token 5 of pages of 4 rows: page 0, row 1. Two heads of 32.
  EXPECT_EQ(paged_element({3, 4, 64}, pages, 2, 1, 5, 3), 1 * 64 + 32 + 3);
  EXPECT_EQ(paged_element({3, 2, 4, 32}, pages, 2, 1, 5, 3), (4 + 1) * 32 + 3);
  // Fractal columns of 16: channel 19 is number 3 of the second.
  EXPECT_EQ(paged_element({3, 2, 2, 4, 16}, pages, 2, 1, 5, 19), ((2 + 1) * 4 + 1) * 16 + 3);
  EXPECT_EQ(paged_element({3, 4, 64}, pages, 2, 0, 2, 0), (2 * 4 + 2) * 64);
}

TEST(AttentionReference, SpreadKeepsBothEnds) {
  EXPECT_EQ(spread(3, 100), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(spread(101, 3), (std::vector<std::int64_t>{0, 50, 100}));
  EXPECT_EQ(spread(1, 5), (std::vector<std::int64_t>{0}));
  EXPECT_TRUE(spread(0, 5).empty());
}

}  // namespace
}  // namespace davsim::reference
