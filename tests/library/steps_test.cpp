// Steps over rows: running sums, Welford's algorithm, deep norm.
#include <cmath>

#include "tests/library/library_run.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr CumSumConfig kFirstAxis = {false, false, true,
                                     CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};

template <class T>
class StepsTest : public LibraryTest {};
using StepsTypes = testing::Types<float, half>;
TYPED_TEST_SUITE(StepsTest, StepsTypes);

TYPED_TEST(StepsTest, CumSumOfRows) {
  using T = TypeParam;
  constexpr std::uint32_t kRows = 9, kWidth = 48;
  const Values x = rounded<T>(numbers(kRows * kWidth, -1, 1));
  Values sums = x;
  for (std::uint32_t i = kWidth; i < sums.size(); ++i) sums[i] += sums[i - kWidth];
  this->template tensor<T>(x.size(), x);
  this->template tensor<T>(x.size());
  this->template tensor<T>(kWidth);
  this->run([&] {
    CumSum<T, kFirstAxis>(this->template at<T>(1), this->template at<T>(2), this->template at<T>(0),
                          {kRows, kWidth});
  });
  this->expect_near(1, sums, 1e-3, 1e-3);
  this->expect_near(2, Values(sums.end() - kWidth, sums.end()), 1e-3, 1e-3);
}

TYPED_TEST(StepsTest, WelfordGivesMeanAndVariance) {
  using T = TypeParam;
  constexpr std::uint32_t kCount = 100;
  constexpr int kSteps = 5;
  Values mean(kCount, 0.0), squares(kCount, 0.0), all;
  std::vector<Values> x;
  for (int step = 0; step < kSteps; ++step) {
    x.push_back(rounded<T>(numbers(kCount, -2, 5, 20u + static_cast<std::uint32_t>(step))));
    this->template tensor<T>(kCount, x.back());
  }
  this->template tensor<float>(kCount, mean);
  this->template tensor<float>(kCount, squares);
  this->scratch(256);
  this->run([&] {
    const auto m = this->template at<float>(kSteps), s = this->template at<float>(kSteps + 1);
    for (int step = 0; step < kSteps; ++step) {
      WelfordUpdate<T, float>(m, s, m, s, this->template at<T>(static_cast<std::size_t>(step)),
                              this->template at<std::uint8_t>(kSteps + 2),
                              {1, 104, kCount, 1.0f / static_cast<float>(step + 1)});
    }
  });
  for (std::uint32_t i = 0; i < kCount; ++i) {
    for (const Values& values : x) mean[i] += values[i] / kSteps;
    for (const Values& values : x) squares[i] += (values[i] - mean[i]) * (values[i] - mean[i]);
  }
  this->expect_near(kSteps, mean, 1e-5, 1e-5, "means");
  this->expect_near(kSteps + 1, squares, 1e-5, 1e-5, "squares");
}

/// Elements that do not count become those of the inputs if the configuration asks for it.
TYPED_TEST(StepsTest, WelfordKeepsTheRestInPlace) {
  using T = TypeParam;
  constexpr std::uint32_t kCount = 21, kAll = 40;
  static constexpr WelfordUpdateConfig kInplace = {true};
  const Values x = rounded<T>(numbers(kAll, -2, 5)), mean = rounded<float>(numbers(kAll, 1, 2, 2)),
               squares = rounded<float>(numbers(kAll, 3, 4, 3)), nothing(kAll, 0.0);
  Values means = mean, sums = squares;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    means[i] += (x[i] - mean[i]) / 4;
    sums[i] += (x[i] - mean[i]) * (x[i] - means[i]);
  }
  this->template tensor<T>(kAll, x);
  for (const Values& values : {mean, squares, nothing, nothing, nothing, nothing}) {
    this->template tensor<float>(kAll, values);
  }
  this->scratch(1024);
  this->run([&] {
    const auto of = [&](std::size_t number) { return this->template at<float>(number); };
    const auto values = this->template at<T>(0);
    const auto tmp = this->template at<std::uint8_t>(7);
    const WelfordUpdateParam para{1, kAll, kCount, 0.25f};
    WelfordUpdate<T, float, false, kInplace>(of(3), of(4), of(1), of(2), values, tmp, para);
    WelfordUpdate<T, float>(of(5), of(6), of(1), of(2), values, tmp, para);
  });
  this->expect_near(3, means, 1e-5, 1e-5, "means");
  this->expect_near(4, sums, 1e-5, 1e-5, "squares");
  for (std::uint32_t i = kCount; i < kAll; ++i) means[i] = sums[i] = 0;
  this->expect_near(5, means, 1e-5, 1e-5, "means of those that count");
  this->expect_near(6, sums, 1e-5, 1e-5, "squares of those that count");
}

TYPED_TEST(StepsTest, DeepNormIsTheLayerNormOfASum) {
  using T = TypeParam;
  constexpr std::uint32_t kRows = 6, kPitch = 64, kWidth = 60;
  const Values x = rounded<T>(numbers(kRows * kPitch, -2, 3)),
               g = rounded<T>(numbers(kRows * kPitch, -1, 1, 2)),
               gamma = rounded<T>(numbers(kWidth, 0.5, 1.5, 3)),
               beta = rounded<T>(numbers(kWidth, -1, 1, 4));
  const double alpha = 0.75, epsilon = static_cast<float>(T(1e-3f));
  Values expected = x;
  for (std::uint32_t r = 0; r < kRows; ++r) {
    double mean = 0, variance = 0;
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      double& value = expected[r * kPitch + c];
      value = value * alpha + g[r * kPitch + c];
      mean += value / kWidth;
    }
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      const double difference = expected[r * kPitch + c] - mean;
      variance += difference * difference / kWidth;
    }
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      double& value = expected[r * kPitch + c];
      value = (value - mean) / std::sqrt(variance + epsilon) * gamma[c] + beta[c];
    }
  }
  this->template tensor<T>(x.size(), x);
  this->template tensor<T>(x.size(), g);
  this->template tensor<T>(kWidth, gamma);
  this->template tensor<T>(kWidth, beta);
  this->template tensor<T>(kRows);
  this->template tensor<T>(kRows);
  DeepNormTiling tiling;
  tiling.bLength = kRows, tiling.sLength = 1, tiling.hLength = kPitch;
  tiling.originalHLength = kWidth;
  this->run([&] {
    const auto data = this->template at<T>(0);
    DeepNorm<T>(data, this->template at<T>(4), this->template at<T>(5), data,
                this->template at<T>(1), this->template at<T>(3), this->template at<T>(2), T(0.75f),
                T(1e-3f), tiling);
  });
  this->expect_near(0, expected, sizeof(T) == 2 ? 2e-3 : 1e-5, sizeof(T) == 2 ? 2e-3 : 1e-5);
}

}  // namespace
}  // namespace davsim::test
