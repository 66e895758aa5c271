// The softmax family against double precision.
#include "tests/library/softmax_rows.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

const SoftmaxShape kSoftmaxShapes[] = {
    {1, 16, 16, 1},        {3, 16, 13, 3},       {8, 64, 64, 8},     {16, 128, 128, 0},
    {17, 80, 77, 5},       {9, 1024, 1000, 2},   {2, 6144, 6143, 1}, {40, 192, 192, 16},
    {16, 48, 40, 8, true}, {20, 16, 16, 0, true}};

template <class T, class U>
struct Types {
  using Data = T;
  using Value = U;
};

template <class Pair>
class SoftmaxTest : public LibraryTest {
 protected:
  using T = typename Pair::Data;
  using U = typename Pair::Value;
  static constexpr std::size_t kEach = 32 / sizeof(U);
  static constexpr double kTolerance = sizeof(T) == 2 ? 2e-3 : 2e-6;
  static constexpr double kValueTolerance = sizeof(U) == 2 ? 2e-3 : 2e-5;

  /// Numbers of the rows; what does not count is not initialised by the kernel, as far as it lies
  /// behind everything else.
  Values source(const SoftmaxShape& shape, std::uint32_t seed = 1) const {
    Values x = rounded<T>(numbers(std::size_t{shape.m} * shape.k, -8, 8, seed));
    const Rows rows(shape);
    x[rows.index(0, 0)] = -kInfinity;
    return x;
  }
  std::uint32_t scratch_bytes(const SoftmaxShape& shape, bool grad = false) const {
    const auto bytes = grad ? sizes::softmax_grad(shape.rows_of_scratch, shape.k)
                            : sizes::softmax_v3(shape.rows_of_scratch, shape.k);
    return static_cast<std::uint32_t>(bytes);
  }
  SoftMaxTiling tiling(const SoftmaxShape& shape) const {
    return SoftMaxTilingFunc(shape.info(), sizeof(U), 1u << 17);
  }
  template <bool nz>
  void call_softmax(const SoftmaxShape& shape, const SoftMaxTiling& tiling) {
    const auto dst = this->template at<T>(0), src = this->template at<T>(3);
    const auto sum = this->template at<U>(1), max = this->template at<U>(2);
    if (shape.rows_of_scratch == 0) {
      SoftMax<T, false, false, nz>(dst, sum, max, src, tiling, shape.info());
    } else {
      SoftMax<T, false, false, nz>(dst, sum, max, src, this->template at<std::uint8_t>(4), tiling,
                                   shape.info());
    }
  }
  /// dst, sum, max and src as tensors 0 to 3, and the temporary buffer as the last.
  void rows(const SoftmaxShape& shape, const Values& x) {
    forget();
    tensor<T>(x.size(), x);  // dst holds something, so that it can be read in parts
    tensor<U>(shape.m * kEach);
    tensor<U>(shape.m * kEach);
    tensor<T>(x.size(), x);
  }
  void expect_rows(const SoftmaxShape& shape, std::size_t number, const Values& expected,
                   double tolerance) const {
    // Columns that do not count keep their values.
    expect_near(number, expected, tolerance, tolerance, "k " + std::to_string(shape.k));
  }
  void expect_values(std::size_t number, const Values& expected) const {
    expect_near(number, Rows::spread(expected, kEach), kValueTolerance, kValueTolerance, "values");
  }
};

using AllTypes = testing::Types<Types<float, float>, Types<half, half>, Types<half, float>>;
TYPED_TEST_SUITE(SoftmaxTest, AllTypes);

TYPED_TEST(SoftmaxTest, SoftMaxAndSimpleSoftMax) {
  using T = typename TypeParam::Data;
  using U = typename TypeParam::Value;
  for (const SoftmaxShape& shape : kSoftmaxShapes) {
    const Rows rows(shape);
    const Values x = this->source(shape);
    const Values max = rows.max(x);
    const Values e = rows.map(x, [&](auto r, auto i) { return std::exp(x[i] - max[r]); });
    const Values sum = rows.sum(e);
    const Values y = rows.map(x, [&](auto r, auto i) { return e[i] / sum[r]; });
    this->rows(shape, x);
    if (shape.rows_of_scratch > 0) this->scratch(this->scratch_bytes(shape));
    const SoftMaxTiling tiling = this->tiling(shape);
    this->run([&] {
      if (shape.nz) {
        this->template call_softmax<true>(shape, tiling);
      } else {
        this->template call_softmax<false>(shape, tiling);
      }
    });
    this->expect_rows(shape, 0, y, this->kTolerance);
    this->expect_values(1, sum);
    this->expect_values(2, max);
    if (shape.nz) continue;
    // In place, without sums and maxima.
    this->forget();
    this->template tensor<T>(x.size(), x);
    this->run([&] {
      const LocalTensor<T> both = this->template at<T>(0);
      SoftMax<T>(both, both, tiling, shape.info());
    });
    this->expect_rows(shape, 0, y, this->kTolerance);
    // With the sums and maxima given.
    this->forget();
    this->template tensor<T>(x.size(), x);
    this->template tensor<U>(shape.m * this->kEach, Rows::spread(sum, this->kEach));
    this->template tensor<U>(shape.m * this->kEach, Rows::spread(max, this->kEach));
    this->run([&] {
      const LocalTensor<T> both = this->template at<T>(0);
      SimpleSoftMax<T>(both, this->template at<U>(1), this->template at<U>(2), both, tiling,
                       shape.info());
    });
    this->expect_rows(shape, 0, y, this->kTolerance + 1e-3 * (sizeof(U) == 2));
  }
}

TYPED_TEST(SoftmaxTest, Flash) {
  using T = typename TypeParam::Data;
  using U = typename TypeParam::Value;
  constexpr std::size_t kOther = 32 / sizeof(T);
  for (const SoftmaxShape& shape : kSoftmaxShapes) {
    if (shape.nz) continue;
    const Rows rows(shape);
    Values last_max, last_sum;
    // Two blocks of columns: the second one updates what the first one left.
    for (const bool update : {false, true}) {
      const Values x = this->source(shape, update ? 2 : 1);
      Values max = rows.max(x), scale(shape.m, 1.0);
      const Values own = max;
      for (std::size_t r = 0; update && r < max.size(); ++r) {
        max[r] = std::max(max[r], last_max[r]);
        scale[r] = std::exp(last_max[r] - max[r]);
      }
      const Values e = rows.map(x, [&](auto r, auto i) { return std::exp(x[i] - max[r]); });
      Values sum = rows.sum(e);
      for (std::size_t r = 0; update && r < max.size(); ++r) sum[r] += scale[r] * last_sum[r];
      for (const bool divided : {false, true}) {
        this->rows(shape, x);
        this->template tensor<T>(shape.m * kOther, Values(shape.m * kOther, 5.0));
        if (update) {  // sums and maxima are updated in place
          this->forget();
          this->template tensor<T>(x.size(), x);
          this->template tensor<U>(shape.m * this->kEach, Rows::spread(last_sum, this->kEach));
          this->template tensor<U>(shape.m * this->kEach, Rows::spread(last_max, this->kEach));
          this->template tensor<T>(x.size(), x);
          this->template tensor<T>(shape.m * kOther);
        }
        const auto tiling = SoftMaxFlashV2TilingFunc(shape.info(), sizeof(T), sizeof(U), 60000);
        this->run([&] {
          const auto dst = this->template at<T>(0), src = this->template at<T>(3);
          const auto exp_max = this->template at<T>(4);
          const auto s = this->template at<U>(1), m = this->template at<U>(2);
          if (divided) {
            SoftmaxFlash<T>(dst, s, m, src, exp_max, s, m, tiling, update, shape.info());
          } else if (update) {
            SoftmaxFlashV2<T, true>(dst, s, m, src, exp_max, s, m, tiling, shape.info());
          } else {
            SoftmaxFlashV2<T, false>(dst, s, m, src, exp_max, s, m, tiling, shape.info());
          }
        });
        const Values y =
            rows.map(x, [&](auto r, auto i) { return divided ? e[i] / sum[r] : e[i]; });
        this->expect_rows(shape, 0, y, this->kTolerance);
        this->expect_values(1, sum);
        this->expect_values(2, max);
        if (!update) continue;
        Values expected = scale;
        for (std::size_t r = 0; divided && r < max.size(); ++r) {
          expected[r] = scale[r] * last_sum[r] / sum[r];
        }
        this->expect_near(4, Rows::spread(expected, kOther), this->kTolerance, this->kTolerance);
      }
      last_max = rounded<U>(max);
      last_sum = rounded<U>(sum);
    }
  }
}

/// Functions whose tensors have one type.
template <class Pair>
class SoftmaxOfOneTypeTest : public SoftmaxTest<Pair> {};
using OneType = testing::Types<Types<float, float>, Types<half, half>>;
TYPED_TEST_SUITE(SoftmaxOfOneTypeTest, OneType);

TYPED_TEST(SoftmaxOfOneTypeTest, Gradients) {
  using T = typename TypeParam::Data;
  constexpr std::size_t kEach = 32 / sizeof(T);
  for (const SoftmaxShape& shape : kSoftmaxShapes) {
    const Rows rows(shape);
    const std::size_t count = std::size_t{shape.m} * shape.k;
    const Values grad = rounded<T>(numbers(count, -1, 1, 3));
    const Values y = rounded<T>(numbers(count, 0, 0.1, 4));
    const Values sum = rows.sum(rows.map(y, [&](auto, auto i) { return y[i] * grad[i]; }));
    const Values expected = rows.map(y, [&](auto r, auto i) { return (grad[i] - sum[r]) * y[i]; });
    const auto tiling = SoftMaxTilingFunc(shape.info(), sizeof(T), 1 << 17);
    this->forget();
    this->template tensor<T>(count, y);
    this->template tensor<T>(count, grad);
    this->template tensor<T>(shape.m * kEach);
    if (shape.rows_of_scratch > 0) {
      this->scratch(this->scratch_bytes(shape, true));
    }
    this->run([&] {
      const auto src = this->template at<T>(0), g = this->template at<T>(1);
      const auto front = this->template at<T>(2);
      if (shape.nz) {
        SoftmaxGradFront<T, false, true>(front, g, src, tiling, shape.info());
        SoftmaxGrad<T, false, true>(src, g, src, tiling, false, shape.info());
      } else if (shape.rows_of_scratch == 0) {
        SoftmaxGradFront<T>(front, g, src, tiling, shape.info());
        SoftmaxGrad<T>(src, g, src, tiling, false, shape.info());
      } else {
        SoftmaxGrad<T>(front, g, src, this->template at<std::uint8_t>(3), tiling, true,
                       shape.info());
        SoftmaxGrad<T>(src, g, src, this->template at<std::uint8_t>(3), tiling, false,
                       shape.info());
      }
    });
    this->expect_near(2, Rows::spread(sum, kEach), this->kTolerance, this->kTolerance, "sum");
    this->expect_rows(shape, 0, expected, this->kTolerance);
  }
}

TYPED_TEST(SoftmaxOfOneTypeTest, LogSoftMaxAndAdjustment) {
  using T = typename TypeParam::Data;
  for (const SoftmaxShape& shape : kSoftmaxShapes) {
    if (shape.rows_of_scratch == 0) continue;
    const Rows rows(shape);
    const Values x = this->source(shape);
    const Values max = rows.max(x);
    const Values sum =
        rows.sum(rows.map(x, [&](auto r, auto i) { return std::exp(x[i] - max[r]); }));
    Values y =
        rows.map(x, [&](auto r, auto i) { return std::log10(std::exp(x[i] - max[r]) / sum[r]); });
    LogSoftMaxTiling tiling;
    sizes::softmax_tiling(tiling, shape.m, shape.k, sizeof(T), 1 << 17);
    this->rows(shape, x);
    this->scratch(this->scratch_bytes(shape));
    const double last = static_cast<float>(T(max[shape.m - 1]));
    bool found = false, again = true;
    this->run([&] {
      const auto dst = this->template at<T>(0), src = this->template at<T>(3);
      const auto s = this->template at<T>(1), m = this->template at<T>(2);
      const auto scratch = this->template at<std::uint8_t>(4);
      if (shape.nz) {
        LogSoftMax<T, false, true>(dst, s, m, src, scratch, tiling, shape.info());
      } else {
        LogSoftMax<T>(dst, s, m, src, scratch, tiling, shape.info());
      }
      // Rows with the maximum of the last one become 7.
      const auto bits = static_cast<std::uint32_t>(api::bits_of(T(static_cast<float>(last))));
      if (shape.nz) {
        found = AdjustSoftMaxRes<T, T, true>(dst, m, bits, T(7.0f), shape.info());
      } else {
        found = AdjustSoftMaxRes<T, T>(dst, m, bits, T(7.0f), shape.info());
      }
      again = AdjustSoftMaxRes<T, T>(dst, m, 0x12345678, T(9.0f), shape.info());
    });
    EXPECT_TRUE(found);
    EXPECT_FALSE(again);
    for (std::uint32_t r = 0; r < shape.m; ++r) {
      if (static_cast<float>(T(max[r])) != last) continue;
      for (std::uint32_t c = 0; c < shape.k; ++c) y[rows.index(r, c)] = 7;
    }
    this->expect_rows(shape, 0, y, this->kTolerance);
  }
}

}  // namespace
}  // namespace davsim::test
