// Norms with something else around them against sums of the host.
#include <cmath>

#include "lists/rows.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::norm_variants {
namespace {

constexpr double kEpsilon = 1e-3;

/// x / root of its mean square, times gamma, for each row.
Numbers rms_norm(const Numbers& x, const Numbers& gamma) {
  Numbers y;
  for (std::size_t first = 0; first < x.size(); first += gamma.size()) {
    double squares = 0;
    for (std::size_t i = 0; i < gamma.size(); ++i) squares += x[first + i] * x[first + i];
    const double root = std::sqrt(squares / static_cast<double>(gamma.size()) + kEpsilon);
    for (std::size_t i = 0; i < gamma.size(); ++i) y.push_back(x[first + i] / root * gamma[i]);
  }
  return y;
}

class NormVariantsTest : public BasicTest {
 protected:
  static constexpr std::int64_t kRows = 9, kLength = 77;
  static constexpr std::size_t kCount = kRows * kLength;
};

TEST_F(NormVariantsTest, OfASumInFloatAndRounded) {
  for (const aclDataType type : {ACL_FLOAT16, ACL_BF16}) {
    const Numbers a = of_type(spread(kCount, -2, 3), type), b = of_type(spread(kCount, 1, 2), type);
    const Numbers g = of_type(spread(kLength, 0.5, 1.5), type);
    Numbers sum;
    for (std::size_t i = 0; i < kCount; ++i) sum.push_back(a[i] + b[i]);
    const DeviceTensor x1({kRows, kLength}, a, type), x2({kRows, kLength}, b, type);
    const DeviceTensor gamma({kLength}, g, type), rstd({kRows, 1}, Numbers(kRows));
    const DeviceTensor exact({kRows, kLength}, Numbers(kCount));
    const DeviceTensor rounded({kRows, kLength}, Numbers(kCount), type);
    const DeviceTensor x({kRows, kLength}, Numbers(kCount), type);
    ASSERT_EQ(DAVSIM_CALL(AddRmsNormCast, x1, x2, gamma, kEpsilon, exact, rounded, rstd, x),
              ACL_SUCCESS)
        << last_error();
    expect_near(exact.values(), rms_norm(sum, g), 1e-5);
    expect_near(rounded.values(), rms_norm(sum, g), rounding_of(type));
    expect_near(x.values(), sum, rounding_of(type));
    EXPECT_EQ(DAVSIM_CALL(AddRmsNormCast, x1, x2, gamma, kEpsilon, rounded, rounded, rstd, x),
              161002);
    EXPECT_EQ(DAVSIM_CALL(AddRmsNormCast, x1, x2, gamma, kEpsilon, nullptr, rounded, rstd, x),
              161001);
    ASSERT_EQ(DAVSIM_CALL(InplaceAddRmsNorm, x1, x2, gamma, kEpsilon, rstd), ACL_SUCCESS)
        << last_error();
    expect_near(x1.values(), rms_norm(sum, g), 3 * rounding_of(type));
    expect_near(x2.values(), sum, rounding_of(type));
  }
}

TEST_F(NormVariantsTest, WithOneMore) {
  const Numbers a = spread(kCount, -2, 3);
  Numbers g = spread(kLength, -0.5, 0.5);
  const DeviceTensor x({kRows, kLength}, a), gamma({kLength}, g),
      y({kRows, kLength}, Numbers(kCount));
  const DeviceTensor rstd({kRows, 1}, Numbers(kRows));
  ASSERT_EQ(DAVSIM_CALL(GemmaRmsNorm, x, gamma, kEpsilon, y, rstd), ACL_SUCCESS) << last_error();
  for (double& value : g) value += 1;
  expect_near(y.values(), rms_norm(a, g), 1e-5);
  EXPECT_EQ(DAVSIM_CALL(GemmaRmsNorm, x, y, kEpsilon, rstd, rstd), 161002);
}

TEST_F(NormVariantsTest, OfGroupsWithSilu) {
  // 2 images of 4 channels in 2 groups, 3 x 5 places.
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Numbers a = of_type(spread(120, -2, 3), type), g = of_type({1, 2, 0.5, 1}, type);
    const Numbers b = of_type({0, 1, -1, 0.5}, type);
    const DeviceTensor self({2, 4, 3, 5}, a, type), gamma({4}, g, type), beta({4}, b, type);
    const DeviceTensor out({2, 4, 3, 5}, Numbers(120), type);
    const DeviceTensor mean({2, 2}, Numbers(4), type), rstd({2, 2}, Numbers(4), type);
    Numbers plain, activated;
    for (std::size_t i = 0; i < 120; ++i) {
      const std::size_t first = i / 30 * 30, channel = i / 15 % 4;
      double sum = 0, squares = 0;
      for (std::size_t j = first; j < first + 30; ++j) sum += a[j] / 30;
      for (std::size_t j = first; j < first + 30; ++j) squares += (a[j] - sum) * (a[j] - sum) / 30;
      const double y = (a[i] - sum) / std::sqrt(squares + kEpsilon) * g[channel] + b[channel];
      plain.push_back(y);
      activated.push_back(y / (1 + std::exp(-y)));
    }
    const double near = type == ACL_FLOAT ? 1e-5 : rounding_of(type);
    ASSERT_EQ(DAVSIM_CALL(GroupNormSilu, self, gamma, beta, 2, kEpsilon, out, mean, rstd),
              ACL_SUCCESS)
        << last_error();
    expect_near(out.values(), activated, near);
    ASSERT_EQ(DAVSIM_CALL(GroupNormSiluV2, self, gamma, beta, 2, kEpsilon, false, out, mean, rstd),
              ACL_SUCCESS)
        << last_error();
    expect_near(out.values(), plain, 3 * near);
    EXPECT_EQ(DAVSIM_CALL(GroupNormSilu, self, gamma, beta, 3, kEpsilon, out, mean, rstd), 161002);
    EXPECT_EQ(DAVSIM_CALL(GroupNormSilu, gamma, gamma, beta, 2, kEpsilon, gamma, mean, rstd),
              161002);
  }
}

TEST_F(NormVariantsTest, OfAnImplementation) {
  const DeviceTensor x({1, 2}, {1, 3}), out({1, 2}, Numbers(2)), mean({1}, {0}), rstd({1}, {0});
  const Ints within{2};
  ASSERT_EQ(
      DAVSIM_CALL(LayerNormWithImplMode, x, within, nullptr, nullptr, 0.0, out, mean, rstd, 1),
      ACL_SUCCESS)
      << last_error();
  expect_near(out.values(), {-1, 1}, 1e-6);
  EXPECT_EQ(mean.values(), Numbers({2}));
  EXPECT_EQ(
      DAVSIM_CALL(LayerNormWithImplMode, x, within, nullptr, nullptr, 0.0, out, mean, rstd, 3),
      161002);
}

}  // namespace
}  // namespace davsim::test::norm_variants
