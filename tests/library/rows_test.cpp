// Reductions, broadcasts, norms and top-k against double precision.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "tests/library/library_run.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

struct Shape {
  std::uint32_t rows, pitch, width, scratch;  ///< scratch 0: the rest of UB
};
constexpr Shape kShapes[] = {{1, 32, 20, 0},
                             {5, 48, 48, 8192},
                             {33, 64, 61, 20000},
                             {70, 192, 190, 0},
                             {3, 2048, 2047, 40000}};

class SumsOfHalves : public LibraryTest {};

template <class T>
class RowsTest : public LibraryTest {
 protected:
  static constexpr bool kIsHalf = sizeof(T) == 2;
  static constexpr double kTolerance = kIsHalf ? 2e-3 : 1e-5;

  static Values source(const Shape& s) {
    return rounded<T>(numbers(std::size_t{s.rows} * s.pitch, -2, 3));
  }
  template <class Function>
  static Values by_row(const Shape& s, const Values& x, Function function) {
    Values result;
    for (std::uint32_t r = 0; r < s.rows; ++r) {
      const auto row = x.begin() + static_cast<std::ptrdiff_t>(std::size_t{r} * s.pitch);
      result.push_back(function(Values(row, row + s.width)));
    }
    return result;
  }
};
using RowsTypes = testing::Types<float, half>;
TYPED_TEST_SUITE(RowsTest, RowsTypes);

double sum_of(const Values& row) {
  return std::accumulate(row.begin(), row.end(), 0.0);
}

class XorSums : public LibraryTest {};

TEST_F(XorSums, AreThoseOfAllElementsOrALimit) {
  for (const std::uint32_t count : {1u, 32u, 100u, 1000u, 5000u}) {
    for (const std::uint32_t room : {0u, 1024u, 65536u}) {
      for (const int range : {9, 256, 65536}) {
        SCOPED_TRACE(::testing::Message() << count << " in " << room << ", range " << range);
        Values a, b;
        double sum = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
          const auto number = [&](std::uint32_t factor) {
            return static_cast<std::int16_t>(static_cast<int>(i * factor % range) - range / 2);
          };
          a.push_back(number(601)), b.push_back(number(30011));
          sum += static_cast<std::int16_t>(number(601) ^ number(30011));
        }
        forget();
        tensor<std::int16_t>(count, a);
        tensor<std::int16_t>(count, b);
        tensor<std::int16_t>(1);
        if (room > 0) scratch(room);
        run([&] {
          const auto x = at<std::int16_t>(0), y = at<std::int16_t>(1), to = at<std::int16_t>(2);
          if (room > 0) {
            ReduceXorSum(to, x, y, at<std::uint8_t>(3), count);
          } else {
            ReduceXorSum<std::int16_t, true>(to, x, y, count);
          }
        });
        expect_near(2, {std::min(32767.0, std::max(-32768.0, sum))}, 0, 0);
      }
    }
  }
}

TYPED_TEST(RowsTest, SumAndMean) {
  using T = TypeParam;
  for (const Shape& s : kShapes) {
    const Values x = this->source(s);
    this->forget();
    this->template tensor<T>(x.size(), x);
    this->template tensor<T>(s.rows);
    this->template tensor<T>(s.rows);
    if (s.scratch > 0) this->scratch(s.scratch);
    this->run([&] {
      const auto src = this->template at<T>(0), sum = this->template at<T>(1),
                 mean = this->template at<T>(2);
      if (s.scratch > 0) {
        const auto tmp = this->template at<std::uint8_t>(3);
        Sum(sum, src, tmp, {s.rows, s.pitch, s.width});
        Mean(mean, src, tmp, {s.rows, s.pitch, s.width});
      } else {
        Sum(sum, src, {s.rows, s.pitch, s.width});
        Mean(mean, src, {s.rows, s.pitch, s.width});
      }
    });
    this->expect_near(1, this->by_row(s, x, sum_of), this->kTolerance, this->kTolerance, "Sum");
    this->expect_near(2,
                      this->by_row(s, x, [&](const Values& row) { return sum_of(row) / s.width; }),
                      this->kTolerance, this->kTolerance, "Mean");
  }
}

/// Sums of halves are halves from the first pair on, unless Mean is told otherwise.
TEST_F(SumsOfHalves, OverflowOnTheWay) {
  constexpr std::uint32_t kRows = 3, kWidth = 300, kPitch = 304;
  Values x(kRows * kPitch, 0.0);
  x[0] = x[1] = 60000, x[130] = x[131] = -60000;  // repeats of their own
  x[kPitch] = x[kPitch + 2] = 60000, x[kPitch + 1] = x[kPitch + 3] = -60000;
  x[2 * kPitch] = 2048, x[2 * kPitch + 1] = x[2 * kPitch + 2] = x[2 * kPitch + 299] = 1;
  tensor<half>(x.size(), x);
  for (int i = 0; i < 3; ++i) tensor<half>(kRows);
  run([&] {
    const auto src = at<half>(0);
    Sum(at<half>(1), src, {kRows, kPitch, kWidth});
    Mean(at<half>(2), src, {kRows, kPitch, kWidth});
    Mean<half, float>(at<half>(3), src, {kRows, kPitch, kWidth});
  });
  const Values sum = got(1), mean = got(2), wide = got(3);
  EXPECT_FALSE(std::isfinite(sum[0]));
  EXPECT_EQ(sum[1], 0);
  EXPECT_EQ(sum[2], 2048);  // 2048 + 1 and 1 + 0, then 2049 rounds to the even number
  EXPECT_FALSE(std::isfinite(mean[0]));
  EXPECT_NEAR(mean[2], 2048.0 / kWidth, 4e-3);
  EXPECT_EQ(wide[0], 0);
  EXPECT_NEAR(wide[2], 2051.0 / kWidth, 4e-3);
}

TYPED_TEST(RowsTest, ReductionsByPattern) {
  using T = TypeParam;
  constexpr std::uint32_t kRows = 19, kWidth = 75, kPitch = 80;
  const std::uint32_t shape[] = {kRows, kWidth};
  const Shape s{kRows, kPitch, kWidth, 0};
  const Values x = this->source(s);
  Values largest(kWidth, -INFINITY), sums(kWidth, 0.0);
  for (std::uint32_t r = 0; r < kRows; ++r) {
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      largest[c] = std::max(largest[c], x[r * kPitch + c]);
      sums[c] += x[r * kPitch + c];
    }
  }
  this->template tensor<T>(x.size(), x);
  this->template tensor<T>(kRows);
  this->template tensor<T>(kWidth);
  this->template tensor<T>(kRows);
  this->template tensor<T>(kWidth);
  this->run([&] {
    const auto src = this->template at<T>(0);
    ReduceMin<T, Pattern::Reduce::AR>(this->template at<T>(1), src, shape, true);
    ReduceMax<T, Pattern::Reduce::RA>(this->template at<T>(2), src, shape, true);
    if constexpr (std::is_same_v<T, float>) {
      ReduceMean<T, Pattern::Reduce::AR>(this->template at<T>(3), src, shape, true);
      ReduceSum<T, Pattern::Reduce::RA>(this->template at<T>(4), src, shape, true);
    } else {
      ReduceMin<T, Pattern::Reduce::AR>(this->template at<T>(3), src, shape, true);
      ReduceMax<T, Pattern::Reduce::RA>(this->template at<T>(4), src, shape, true);
    }
  });
  this->expect_near(
      1, this->by_row(s, x, [](const Values& r) { return *std::min_element(r.begin(), r.end()); }),
      0, 0);
  this->expect_near(2, largest, 0, 0);
  if (!std::is_same_v<T, float>) return;
  this->expect_near(3, this->by_row(s, x, [](const Values& r) { return sum_of(r) / kWidth; }), 1e-5,
                    1e-6);
  this->expect_near(4, sums, 1e-5, 1e-5);
}

template <class Test, class T>
void check_broadcast(Test& test, std::uint32_t rows, std::uint32_t width) {
  const Values column = rounded<T>(numbers(rows, 0, 100, 3)),
               row = rounded<T>(numbers(width, 0, 100, 4));
  Values by_row, by_column;
  for (std::uint32_t r = 0; r < rows; ++r) {
    by_row.insert(by_row.end(), row.begin(), row.end());
    by_column.insert(by_column.end(), width, column[r]);
  }
  test.forget();
  test.template tensor<T>(rows, column);
  test.template tensor<T>(width, row);
  test.template tensor<T>(rows * width, Values(rows * width, 7.0));
  test.template tensor<T>(rows * width);
  const std::uint32_t dst[] = {rows, width}, of_row[] = {1, width}, of_column[] = {rows, 1};
  test.run([&] {
    if (width * sizeof(T) % 32 == 0) {
      Broadcast<T, 2, 0>(test.template at<T>(2), test.template at<T>(1), dst, of_row);
    }
    BroadCast<T, 2, 1>(test.template at<T>(3), test.template at<T>(0), dst, of_column);
  });
  if (width * sizeof(T) % 32 == 0) test.expect_near(2, by_row, 0, 0, "row");
  test.expect_near(3, by_column, 0, 0, "column");
}

class Shapes : public LibraryTest {
 public:
  using LibraryTest::at;
  using LibraryTest::expect_near;
  using LibraryTest::forget;
  using LibraryTest::run;
  using LibraryTest::tensor;
};

TEST_F(Shapes, Broadcast) {
  for (const std::uint32_t rows : {1u, 7u, 40u}) {
    check_broadcast<Shapes, float>(*this, rows, 72);
    check_broadcast<Shapes, half>(*this, rows, 176);
    check_broadcast<Shapes, std::uint8_t>(*this, rows, 96);
    check_broadcast<Shapes, std::int32_t>(*this, rows, 8);
    // Rows that are not whole DataBlocks have no padding either.
    check_broadcast<Shapes, float>(*this, rows, 71);
    check_broadcast<Shapes, half>(*this, 6 * rows, 9);
    check_broadcast<Shapes, std::uint8_t>(*this, rows, 33);
  }
}

TYPED_TEST(RowsTest, Norms) {
  using T = TypeParam;
  for (const Shape& s : kShapes) {
    const Values x = this->source(s);
    const Values gamma = rounded<T>(numbers(s.width, 0.5, 1.5, 5)),
                 beta = rounded<T>(numbers(s.width, -1, 1, 6));
    const double epsilon = static_cast<float>(T(1e-3f));
    const Values mean =
        this->by_row(s, x, [&](const Values& row) { return sum_of(row) / s.width; });
    Values variance, rstd, layer = x, rms = x;
    for (std::uint32_t r = 0; r < s.rows; ++r) {
      double squares = 0, centred = 0;
      for (std::uint32_t c = 0; c < s.width; ++c) {
        const double value = x[r * s.pitch + c];
        squares += value * value / s.width;
        centred += (value - mean[r]) * (value - mean[r]) / s.width;
      }
      variance.push_back(centred);
      rstd.push_back(1 / std::sqrt(centred + epsilon));
      for (std::uint32_t c = 0; c < s.width; ++c) {
        double &l = layer[r * s.pitch + c], &m = rms[r * s.pitch + c];
        l = (l - mean[r]) * rstd[r] * gamma[c] + beta[c];
        m = m / std::sqrt(squares + epsilon) * gamma[c];
      }
    }
    this->forget();
    this->template tensor<T>(x.size(), x);
    this->template tensor<T>(x.size(), x);
    this->template tensor<T>(s.width, gamma);
    this->template tensor<T>(s.width, beta);
    this->template tensor<T>(s.rows);
    this->template tensor<T>(s.rows);
    this->template tensor<float>(s.rows);
    this->template tensor<float>(s.rows);
    LayerNormTiling tiling;
    tiling.bLength = 1, tiling.sLength = s.rows, tiling.hLength = s.pitch,
    tiling.originalHLength = s.width;
    RmsNormTiling rms_tiling;
    rms_tiling.bLength = s.rows, rms_tiling.sLength = 1, rms_tiling.hLength = s.pitch;
    rms_tiling.originalHLength = s.width;
    this->run([&] {
      const auto a = this->template at<T>(0), b = this->template at<T>(1);
      const auto g = this->template at<T>(2), d = this->template at<T>(3);
      LayerNorm<T, false>(a, this->template at<T>(4), this->template at<T>(5), b, g, d, T(1e-3f),
                          tiling);
      LayerNorm<T, T>(a, this->template at<float>(6), this->template at<float>(7), b, g, d, 1e-3f,
                      LayerNormPara{s.rows, s.width, s.pitch}, LayerNormSeparateTiling());
      RmsNorm<T>(b, b, g, T(1e-3f), rms_tiling);
    });
    this->expect_near(0, layer, this->kTolerance, this->kTolerance, "LayerNorm");
    this->expect_near(1, rms, this->kTolerance, this->kTolerance, "RmsNorm");
    this->expect_near(4, mean, this->kTolerance, this->kTolerance, "mean");
    this->expect_near(5, variance, this->kTolerance, this->kTolerance, "variance");
    this->expect_near(6, mean, 1e-4, 1e-5, "mean in float");
    this->expect_near(7, rstd, 1e-4, 1e-5, "reciprocal");
  }
}

TEST_F(Shapes, TopKOfIndicesOfTheKernel) {
  constexpr std::uint32_t kInner = 64, kBest = 8;
  const Values x = numbers(2 * kInner, -9, 9, 5);
  Values names, best, places;
  for (std::uint32_t i = 0; i < kInner; ++i) names.push_back(1000 - 3.0 * i);
  for (std::uint32_t row = 0; row < 2; ++row) {
    std::vector<std::uint32_t> order(kInner);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      return as_type(isa::DType::kF32, x[row * kInner + a]) >
             as_type(isa::DType::kF32, x[row * kInner + b]);
    });
    for (std::uint32_t i = 0; i < kBest; ++i) {
      best.push_back(as_type(isa::DType::kF32, x[row * kInner + order[i]]));
      places.push_back(names[order[i]]);
    }
  }
  tensor<float>(2 * kInner, x);
  tensor<float>(2 * kBest);
  tensor<std::int32_t>(2 * kBest);
  tensor<std::int32_t>(kInner, names);
  scratch(sizes::top_k(kInner));
  run([&] {
    TopK<float, true>(at<float>(1), at<std::int32_t>(2), at<float>(0), at<std::int32_t>(3), {},
                      at<std::uint8_t>(4), kBest, TopkTiling(), {2, kInner, kInner});
  });
  expect_near(1, best, 0, 0, "values");
  expect_near(2, places, 0, 0, "places");
}

TYPED_TEST(RowsTest, TopK) {
  using T = TypeParam;
  for (const bool largest : {true, false}) {
    for (const auto& [rows, inner, n, k] :
         {std::array{3u, 32u, 32u, 5u}, std::array{2u, 64u, 50u, 8u}, std::array{2u, 96u, 96u, 70u},
          std::array{1u, 992u, 992u, 992u}, std::array{2u, 1280u, 1270u, 1000u},
          std::array{2u, 512u, 500u, 100u}, std::array{1u, 2048u, 2048u, 33u}}) {
      Values x = rounded<T>(numbers(std::size_t{rows} * inner, -9, 9, k));
      x[3] = x[1];  // equal ones keep their order
      const std::uint32_t pitch = (k + 32 / sizeof(T) - 1) / (32 / sizeof(T)) * (32 / sizeof(T));
      const std::uint32_t index_pitch = (k + 7) / 8 * 8;
      this->forget();
      this->template tensor<T>(x.size(), x);
      // Nothing initialises the padding of a row's results before the call.
      this->template tensor<T>(rows * pitch);
      this->template tensor<std::int32_t>(rows * index_pitch);
      this->scratch(sizes::top_k(inner));
      Values best(rows * pitch, 0.0), places(rows * index_pitch, 0.0);
      for (std::uint32_t r = 0; r < rows; ++r) {
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
          return largest ? x[r * inner + a] > x[r * inner + b]
                         : x[r * inner + a] < x[r * inner + b];
        });
        for (std::uint32_t i = 0; i < pitch; ++i) best[r * pitch + i] = x[r * inner + order[i]];
        for (std::uint32_t i = 0; i < index_pitch; ++i) places[r * index_pitch + i] = order[i];
      }
      const TopKInfo info{static_cast<std::int32_t>(rows), static_cast<std::int32_t>(inner),
                          static_cast<std::int32_t>(n)};
      this->run([&] {
        TopK<T>(this->template at<T>(1), this->template at<std::int32_t>(2),
                this->template at<T>(0), {}, {}, this->template at<std::uint8_t>(3),
                static_cast<std::int32_t>(k), TopkTiling(), info, largest);
      });
      this->expect_near(1, best, 0, 0, "values");
      this->expect_near(2, places, 0, 0, "places");
    }
  }
}

/// In small mode results of rows have no padding, and each row has its indices.
TYPED_TEST(RowsTest, SmallTopK) {
  using T = TypeParam;
  constexpr std::uint32_t kInner = 32;
  for (const bool largest : {true, false}) {
    for (const auto& [rows, n, k, at_once] :
         {std::array{1u, 32u, 1u, 1u}, std::array{4u, 31u, 1u, 4u}, std::array{7u, 20u, 5u, 7u},
          std::array{50u, 32u, 3u, 16u}, std::array{250u, 30u, 2u, 100u}}) {
      Values x = rounded<T>(numbers(std::size_t{rows} * kInner, -9, 9, k)), names;
      x[3] = x[1];  // equal ones keep their order
      for (std::uint32_t i = 0; i < rows * kInner; ++i) names.push_back(5000 - 3.0 * i);
      Values best, places, named;
      for (std::uint32_t r = 0; r < rows; ++r) {
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
          return largest ? x[r * kInner + a] > x[r * kInner + b]
                         : x[r * kInner + a] < x[r * kInner + b];
        });
        for (std::uint32_t i = 0; i < k; ++i) {
          best.push_back(x[r * kInner + order[i]]);
          places.push_back(order[i]);
          named.push_back(names[r * kInner + order[i]]);
        }
      }
      this->forget();
      this->template tensor<T>(x.size(), x);
      this->template tensor<std::int32_t>(names.size(), names);
      for (int i = 0; i < 2; ++i) {
        this->template tensor<T>(best.size());
        this->template tensor<std::int32_t>(best.size());
      }
      this->scratch(sizes::small_top_k(at_once));
      const TopKInfo info{static_cast<std::int32_t>(rows), kInner, static_cast<std::int32_t>(n)};
      this->run([&] {
        const auto src = this->template at<T>(0);
        const auto index = this->template at<std::int32_t>(1);
        const auto tmp = this->template at<std::uint8_t>(6);
        TopK<T, false, false, false, TopKMode::TOPK_NSMALL>(
            this->template at<T>(2), this->template at<std::int32_t>(3), src, {}, {}, tmp,
            static_cast<std::int32_t>(k), TopkTiling(), info, largest);
        TopK<T, true, false, false, TopKMode::TOPK_NSMALL>(
            this->template at<T>(4), this->template at<std::int32_t>(5), src, index, {}, tmp,
            static_cast<std::int32_t>(k), TopkTiling(), info, largest);
      });
      this->expect_near(2, best, 0, 0, "values");
      this->expect_near(3, places, 0, 0, "places");
      this->expect_near(4, best, 0, 0, "values again");
      this->expect_near(5, named, 0, 0, "indices of the rows");
    }
  }
}

TEST_F(Shapes, TopKMergesTheLastRunsAsFarAsKAlone) {
  constexpr std::uint32_t kInner = 1024, kBest = 8;
  tensor<float>(kInner, numbers(kInner, -9, 9));
  tensor<float>(kBest);
  tensor<std::int32_t>(kBest);
  scratch(sizes::top_k(kInner));
  std::uint16_t taken[4] = {};
  run([&] {
    TopK<float>(at<float>(1), at<std::int32_t>(2), at<float>(0), {}, {}, at<std::uint8_t>(3), kBest,
                TopkTiling(), {1, kInner, kInner});
    SetFlag<HardEvent::V_S>(EVENT_ID0);
    WaitFlag<HardEvent::V_S>(EVENT_ID0);
    GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
  });
  // Of two runs of 512 pairs.
  EXPECT_EQ(taken[0] + taken[1], 2 * static_cast<int>(kBest));
}

TEST_F(Shapes, Refusals) {
  tensor<float>(40 * 8, numbers(40 * 8, -1, 1));
  tensor<float>(40);
  tensor<std::int8_t>(320);
  scratch(64);
  EXPECT_EQ(refusal([&] {
              Sum(at<float>(1), at<float>(0), {8, 20, 20});
            }),
            "Sum: bytes of a row is 80, allowed are multiples of 32");
  EXPECT_EQ(refusal([&] {
              Sum(at<float>(1), at<float>(0), {41, 8, 8});
            }),
            "Sum: elements of src is 320, allowed are 328 and more");
  EXPECT_EQ(
      refusal([&] { AscendQuant(at<std::int8_t>(2), at<float>(0), at<float>(1), 0.0f, 40, 320); }),
      "AscendQuant: the number of scales is 40, allowed are multiples of 32");
  EXPECT_EQ(refusal([&] {
              TopK<float>(at<float>(1), at<std::int32_t>(1), at<float>(0), {}, {}, 4, TopkTiling(),
                          {1, 40, 40});
            }),
            "TopK: inner is 40, allowed are multiples of 32 up to 4096");
  RmsNormTiling tiling;
  tiling.bLength = 8, tiling.sLength = 1, tiling.hLength = tiling.originalHLength = 40;
  EXPECT_EQ(refusal([&] {
              RmsNorm(at<float>(0), at<float>(0), at<float>(1), at<std::uint8_t>(3), 0.1f, tiling);
            }).substr(0, 41),
            "RmsNorm: bytes of sharedTmpBuffer is 64, ");
}

}  // namespace
}  // namespace davsim::test
