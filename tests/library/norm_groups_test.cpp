// Norms over groups and batches, with given means, their gradients, and the end of Welford's
// algorithm.
#include <cmath>

#include "tests/library/library_run.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

struct Moments {
  double mean = 0, variance = 0;
};
/// Of the elements for which `counts` is true.
template <class Counts>
Moments moments(const Values& x, Counts counts) {
  Moments m;
  double n = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (counts(i)) m.mean += x[i], ++n;
  }
  m.mean /= n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (counts(i)) m.variance += (x[i] - m.mean) * (x[i] - m.mean) / n;
  }
  return m;
}

template <class T>
class NormGroupsTest : public LibraryTest {
 protected:
  static constexpr double kTolerance = sizeof(T) == 2 ? 4e-3 : 2e-5;
  static constexpr float kEpsilon = 0.0009765625f;  // also in half
};
using NormGroupsTypes = testing::Types<float, half>;
TYPED_TEST_SUITE(NormGroupsTest, NormGroupsTypes);

TYPED_TEST(NormGroupsTest, GroupNorm) {
  using T = TypeParam;
  constexpr std::uint32_t kN = 3, kC = 6, kHw = 20, kGroup = 2, kGroups = kN * kC / kGroup;
  constexpr std::uint32_t kPitch = sizeof(T) == 2 ? 32 : 24, kRows = kN * kC;
  for (const std::uint32_t scratch : {0u, 4096u}) {
    const Values x = rounded<T>(numbers(kRows * kPitch, -2, 3)),
                 gamma = rounded<T>(numbers(kC, 0.5, 1.5, 2)),
                 beta = rounded<T>(numbers(kC, -1, 1, 3));
    Values expected = x, means, variances;
    for (std::uint32_t g = 0; g < kGroups; ++g) {
      const auto in_group = [&](std::size_t i) {
        return i / kPitch / kGroup == g && i % kPitch < kHw;
      };
      const Moments m = moments(x, in_group);
      means.push_back(m.mean);
      variances.push_back(m.variance);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t c = i / kPitch % kC;
        if (!in_group(i)) continue;
        expected[i] = (x[i] - m.mean) / std::sqrt(m.variance + this->kEpsilon) * gamma[c] + beta[c];
      }
    }
    this->forget();
    this->template tensor<T>(x.size(), x);
    this->template tensor<T>(x.size(), x);
    this->template tensor<T>(kC, gamma);
    this->template tensor<T>(kC, beta);
    this->template tensor<T>(kGroups);
    this->template tensor<T>(kGroups);
    if (scratch > 0) this->scratch(scratch);
    GroupNormTiling t;
    t.n = kN, t.c = kC, t.hw = kHw, t.hwAlignSize = kPitch, t.d = kGroup, t.g = kC / kGroup;
    this->run([&] {
      const auto to = this->template at<T>(1), mean = this->template at<T>(4),
                 variance = this->template at<T>(5), from = this->template at<T>(0),
                 g = this->template at<T>(2), b = this->template at<T>(3);
      if (scratch > 0) {
        GroupNorm<T>(to, mean, variance, from, g, b, this->template at<std::uint8_t>(6),
                     T(this->kEpsilon), t);
      } else {
        GroupNorm<T>(to, mean, variance, from, g, b, T(this->kEpsilon), t);
      }
    });
    this->expect_near(1, expected, this->kTolerance, this->kTolerance, "output");
    this->expect_near(4, means, this->kTolerance, this->kTolerance, "means");
    this->expect_near(5, variances, this->kTolerance, this->kTolerance, "variances");
  }
}

TYPED_TEST(NormGroupsTest, BatchNorm) {
  using T = TypeParam;
  constexpr std::uint32_t kRows = 9, kWidth = 80;
  for (const std::uint32_t scratch : {0u, 2048u}) {
    const Values x = rounded<T>(numbers(kRows * kWidth, -2, 3)),
                 gamma = rounded<T>(numbers(16, 0.5, 1.5, 2)),
                 beta = rounded<T>(numbers(16, -1, 1, 3));
    Values expected(x.size()), means, variances;
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      const Moments m = moments(x, [&](std::size_t i) { return i % kWidth == c; });
      means.push_back(m.mean);
      variances.push_back(m.variance);
      for (std::uint32_t r = 0; r < kRows; ++r) {
        const std::size_t i = r * kWidth + c;
        expected[i] = (x[i] - m.mean) / std::sqrt(m.variance + this->kEpsilon) * gamma[r] + beta[r];
      }
    }
    this->forget();
    this->template tensor<T>(x.size(), x);
    this->template tensor<T>(16, gamma);
    this->template tensor<T>(16, beta);
    this->template tensor<T>(kWidth);
    this->template tensor<T>(kWidth);
    if (scratch > 0) this->scratch(scratch);
    BatchNormTiling t;
    t.originalBLength = kRows, t.meanVarSize = kWidth;
    this->run([&] {
      const auto data = this->template at<T>(0), mean = this->template at<T>(3),
                 variance = this->template at<T>(4), g = this->template at<T>(1),
                 b = this->template at<T>(2);
      if (scratch > 0) {
        BatchNorm<T>(data, mean, variance, data, g, b, this->template at<std::uint8_t>(5),
                     T(this->kEpsilon), t);
      } else {
        BatchNorm<T>(data, mean, variance, data, g, b, T(this->kEpsilon), t);
      }
    });
    this->expect_near(0, expected, this->kTolerance, this->kTolerance, "output");
    this->expect_near(3, means, this->kTolerance, this->kTolerance, "means");
    this->expect_near(4, variances, this->kTolerance, this->kTolerance, "variances");
  }
}

constexpr NormalizeConfig kNoBeta = {ReducePattern::AR, -1, true, false, false};

TYPED_TEST(NormGroupsTest, NormalizeTakesMeansAndVariances) {
  using T = TypeParam;
  constexpr std::uint32_t kRows = 18, kWidth = 40, kPitch = 48;
  const Values x = rounded<T>(numbers(kRows * kPitch, -2, 3)), mean = numbers(kRows, -1, 1, 2),
               variance = numbers(kRows, 0.5, 2, 3), gamma = numbers(kWidth, 0.5, 1.5, 4);
  Values expected = x, rstd;
  for (std::uint32_t r = 0; r < kRows; ++r) {
    rstd.push_back(1 / std::sqrt(variance[r] + this->kEpsilon));
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      double& value = expected[r * kPitch + c];
      value = (value - mean[r]) * rstd[r] * gamma[c];
    }
  }
  this->template tensor<T>(x.size(), x);
  this->template tensor<float>(kRows, mean);
  this->template tensor<float>(kRows, variance);
  this->template tensor<float>(kWidth, gamma);
  this->template tensor<float>(kRows);
  this->run([&] {
    const auto data = this->template at<T>(0);
    const auto g = this->template at<float>(3);
    Normalize<float, T, false, kNoBeta>(data, this->template at<float>(4),
                                        this->template at<float>(1), this->template at<float>(2),
                                        data, g, g, this->kEpsilon, {kRows, kWidth, kPitch});
  });
  this->expect_near(0, expected, this->kTolerance, this->kTolerance, "output");
  this->expect_near(4, rstd, 1e-5, 1e-5, "rstd");
}

TYPED_TEST(NormGroupsTest, GradientsOfLayerNorm) {
  using T = TypeParam;
  constexpr std::uint32_t kRows = 20, kWidth = 60, kPitch = 64;
  const Values x = rounded<T>(numbers(kRows * kPitch, -2, 3)),
               dy = rounded<T>(numbers(kRows * kPitch, -1, 1, 2)),
               gamma = rounded<T>(numbers(kWidth, 0.5, 1.5, 3));
  Values mean, variance, dx = x, normal = x, dgamma(kWidth, 0.0), dbeta(kWidth, 0.0);
  for (std::uint32_t r = 0; r < kRows; ++r) {
    const Moments m =
        moments(x, [&](std::size_t i) { return i / kPitch == r && i % kPitch < kWidth; });
    mean.push_back(as_type(api::dtype_of<T>(), m.mean));
    variance.push_back(as_type(api::dtype_of<T>(), m.variance));
    const double rstd = 1 / std::sqrt(variance[r] + this->kEpsilon);
    // The gradient in its usual form: (g - mean(g) - n mean(g n)) rstd, with g = dy gamma.
    double sum = 0, product = 0;
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      const std::size_t i = r * kPitch + c;
      normal[i] = (x[i] - mean[r]) * rstd;
      sum += dy[i] * gamma[c] / kWidth;
      product += dy[i] * gamma[c] * normal[i] / kWidth;
      dbeta[c] += dy[i];
      dgamma[c] += dy[i] * normal[i];
    }
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      const std::size_t i = r * kPitch + c;
      dx[i] = (dy[i] * gamma[c] - sum - normal[i] * product) * rstd;
    }
  }
  this->template tensor<T>(x.size(), x);
  this->template tensor<T>(x.size(), dy);
  this->template tensor<T>(kRows, variance);
  this->template tensor<T>(kRows, mean);
  this->template tensor<T>(kWidth, gamma);
  this->template tensor<T>(x.size(), x);
  this->template tensor<T>(kWidth);
  this->template tensor<T>(kWidth);
  this->scratch(20000);
  LayerNormGradTiling t;
  t.bLength = kRows / 2, t.sLength = 2, t.hLength = kPitch, t.originalHLength = kWidth;
  LayerNormGradBetaTiling beta_tiling;
  beta_tiling.bLength = kRows, beta_tiling.sLength = 1, beta_tiling.hLength = kPitch;
  beta_tiling.originalHLength = kWidth;
  this->run([&] {
    const auto data = this->template at<T>(0), gradient = this->template at<T>(1),
               n = this->template at<T>(5);
    const auto tmp = this->template at<std::uint8_t>(8);
    LayerNormGrad<T>(data, n, gradient, data, this->template at<T>(2), this->template at<T>(3),
                     this->template at<T>(4), tmp, T(this->kEpsilon), t, {DataFormat::ND});
    LayerNormGradBeta<T>(this->template at<T>(6), this->template at<T>(7), n, gradient, tmp,
                         beta_tiling);
  });
  const double near = sizeof(T) == 2 ? 6e-3 : 2e-5;
  this->expect_near(0, dx, near, near, "outputPdX");
  this->expect_near(5, normal, near, near, "resForGamma");
  this->expect_near(6, dgamma, near, 2 * near, "outputPdGamma");
  this->expect_near(7, dbeta, near, near, "outputPdBeta");
}

class WelfordEndTest : public LibraryTest {};

TEST_F(WelfordEndTest, GivesTheMomentsOfAllValues) {
  constexpr std::uint32_t kPairs = 40, kSteps = 4, kTail = 24;  // the last step has 24 values
  Values mean(kPairs), squares(kPairs), counts(kPairs);
  double all_mean = 0, all_variance = 0, values = 0;
  std::vector<Values> steps;
  for (std::uint32_t s = 0; s < kSteps; ++s) steps.push_back(numbers(kPairs, -2, 5, s + 1));
  for (std::uint32_t i = 0; i < kPairs; ++i) {
    counts[i] = i < kTail ? kSteps : kSteps - 1;
    for (std::uint32_t s = 0; s < counts[i]; ++s) mean[i] += steps[s][i] / counts[i];
    for (std::uint32_t s = 0; s < counts[i]; ++s) {
      squares[i] += (steps[s][i] - mean[i]) * (steps[s][i] - mean[i]);
      all_mean += steps[s][i];
      ++values;
    }
  }
  all_mean /= values;
  for (std::uint32_t i = 0; i < kPairs; ++i) {
    for (std::uint32_t s = 0; s < counts[i]; ++s) {
      all_variance += (steps[s][i] - all_mean) * (steps[s][i] - all_mean) / values;
    }
  }
  tensor<float>(kPairs, mean);
  tensor<float>(kPairs, squares);
  tensor<std::int32_t>(kPairs, counts);
  for (int i = 0; i < 4; ++i) tensor<float>(1);
  WelfordFinalizePara para{
      kSteps,     kPairs,         kSteps,        kTail,
      kSteps - 1, kPairs - kTail, 1.0f / kPairs, static_cast<float>(1 / values)};
  run([&] {
    const auto m = at<float>(0), s = at<float>(1);
    WelfordFinalize<false>(at<float>(3), at<float>(4), m, s, at<std::int32_t>(2), para);
    WelfordFinalize<true>(at<float>(5), at<float>(6), m, s, para);
  });
  for (const std::size_t at : {3u, 5u}) {
    expect_near(at, {all_mean}, 1e-5, 1e-5, "mean");
    expect_near(at + 1, {all_variance}, 1e-5, 1e-5, "variance");
  }
  para.tailCount = 0;
  EXPECT_NE(refusal([&] {
              WelfordFinalize(at<float>(3), at<float>(4), at<float>(0), at<float>(1), para);
            }).find("tailCountLength where tailCount is 0 is 16"),
            std::string::npos);
}

}  // namespace
}  // namespace davsim::test
