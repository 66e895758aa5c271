// Functions of rows whose elements are infinite, no numbers, denormal or as large as the type
// allows: what the documented formulas give. A special element leaves the other rows alone.
#include <algorithm>
#include <cmath>

#include "tests/library/library_run.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

template <class T>
class SpecialRows : public LibraryTest {
 protected:
  static constexpr std::uint32_t kRows = 8, kWidth = 64, kCount = kRows * kWidth;
  static constexpr double kLeast = sizeof(T) == 2 ? 6e-8 : 1e-40;
  static constexpr double kRelative = sizeof(T) == 2 ? 4e-3 : 1e-4;
  static constexpr double kAbsolute = sizeof(T) == 2 ? 1e-3 : 1e-5;

  static Values source() {
    Values x = numbers(kCount, -3, 3);
    x[5] = INFINITY;
    x[kWidth + 6] = -INFINITY;
    std::fill_n(x.begin() + 2 * kWidth, kWidth, -INFINITY);
    x[3 * kWidth + 7] = NAN;
    std::fill_n(x.begin() + 4 * kWidth, kWidth, kLeast);
    std::fill_n(x.begin() + 5 * kWidth, kWidth, -0.0);
    return rounded<T>(x);
  }
  /// A value for each element of what `of_row` says of its row.
  template <class OfRow>
  static Values by_row(const Values& x, OfRow of_row) {
    Values y;
    for (std::uint32_t r = 0; r < kRows; ++r) {
      const Values row(x.begin() + r * kWidth, x.begin() + (r + 1) * kWidth);
      for (const double value : of_row(row)) y.push_back(value);
    }
    return y;
  }
  static double sum(const Values& row) {
    double all = 0;
    for (const double value : row) all += value;
    return all;
  }
  static double largest(const Values& row) {
    double most = -INFINITY;
    for (const double value : row) {
      if (std::isnan(value)) return value;
      most = std::max(most, value);
    }
    return most;
  }
};
using SpecialTypes = testing::Types<float, half>;
TYPED_TEST_SUITE(SpecialRows, SpecialTypes);

TYPED_TEST(SpecialRows, OfSoftmax) {
  using T = TypeParam;
  constexpr auto kRows = TestFixture::kRows, kWidth = TestFixture::kWidth;
  const Values x = this->source();
  const auto of = [&](bool log) {
    return this->by_row(x, [&](const Values& row) {
      const double max = this->largest(row);
      Values y;
      for (const double value : row) y.push_back(std::exp(value - max));
      const double sum = this->sum(y);
      for (std::uint32_t c = 0; c < kWidth; ++c) {
        y[c] = log ? std::log10(y[c] / sum) : y[c] / sum;
      }
      return y;
    });
  };
  this->template tensor<T>(x.size(), x);
  for (int i = 0; i < 2; ++i) this->template tensor<T>(x.size());
  for (int i = 0; i < 2; ++i) this->template tensor<T>(kRows * 32 / sizeof(T));
  this->scratch(20000);
  const SoftMaxShapeInfo shape{kRows, kWidth, kRows, kWidth};
  LogSoftMaxTiling tiling;
  sizes::softmax_tiling(tiling, kRows, kWidth, sizeof(T), 20000);
  this->run([&] {
    const auto src = this->template at<T>(0), s = this->template at<T>(3),
               m = this->template at<T>(4);
    const auto tmp = this->template at<std::uint8_t>(5);
    SoftMax<T>(this->template at<T>(1), s, m, src, tmp,
               SoftMaxTilingFunc(shape, sizeof(T), 4, 20000), shape);
    LogSoftMax<T>(this->template at<T>(2), s, m, src, tmp, tiling, shape);
  });
  this->expect_near(1, of(false), this->kRelative, this->kAbsolute, "SoftMax");
  this->expect_near(2, of(true), this->kRelative, this->kAbsolute, "LogSoftMax");
}

TYPED_TEST(SpecialRows, OfSumsAndExtremes) {
  using T = TypeParam;
  constexpr auto kRows = TestFixture::kRows, kWidth = TestFixture::kWidth;
  const Values x = this->source();
  Values sum, mean, max;
  for (std::uint32_t r = 0; r < kRows; ++r) {
    const Values row(x.begin() + r * kWidth, x.begin() + (r + 1) * kWidth);
    sum.push_back(this->sum(row));
    mean.push_back(sum.back() / kWidth);
    max.push_back(this->largest(row));
  }
  this->template tensor<T>(x.size(), x);
  for (int i = 0; i < 3; ++i) this->template tensor<T>(16, Values(16, 7.0));
  this->scratch(20000);
  this->run([&] {
    const auto src = this->template at<T>(0);
    const auto tmp = this->template at<std::uint8_t>(4);
    Sum(this->template at<T>(1), src, tmp, SumParams{kRows, kWidth, kWidth});
    Mean<T>(this->template at<T>(2), src, tmp, MeanParams{kRows, kWidth, kWidth});
    const std::uint32_t shape[] = {kRows, kWidth};
    ReduceMax<T, Pattern::Reduce::AR>(this->template at<T>(3), src, tmp, shape, true);
  });
  this->expect_near(1, sum, this->kRelative, this->kAbsolute, "Sum");
  this->expect_near(2, mean, this->kRelative, this->kAbsolute, "Mean");
  this->expect_near(3, max, 0, 0, "ReduceMax");
}

}  // namespace
}  // namespace davsim::test
