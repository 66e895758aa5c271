// Reductions, broadcasts, norms, quantisation and top-k against double precision.
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
  test.template tensor<T>(rows * width);
  test.template tensor<T>(rows * width);
  const std::uint32_t dst[] = {rows, width}, of_row[] = {1, width}, of_column[] = {rows, 1};
  test.run([&] {
    Broadcast<T, 2, 0>(test.template at<T>(2), test.template at<T>(1), dst, of_row);
    BroadCast<T, 2, 1>(test.template at<T>(3), test.template at<T>(0), dst, of_column);
  });
  test.expect_near(2, by_row, 0, 0, "row");
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

TYPED_TEST(RowsTest, Quantisation) {
  using T = TypeParam;
  constexpr std::uint32_t kColumns = 64, kCount = 9 * kColumns;
  const Values x = rounded<T>(numbers(kCount, -40, 40)),
               scale = rounded<T>(numbers(kColumns, 1, 5, 2)),
               offset = rounded<T>(numbers(kColumns, -3, 3, 3));
  const auto h = [](double value) { return as_type(isa::DType::kF16, value); };
  const auto to_byte = [](double value) {
    return std::clamp(std::nearbyint(value), -128.0, 127.0);
  };
  Values one, by_column, both;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const double value = h(x[i]), s = h(scale[i % kColumns]), o = h(offset[i % kColumns]);
    one.push_back(to_byte(h(h(value * 2.5) + 1.0)));
    by_column.push_back(to_byte(h(h(value * s) + 2.0)));
    both.push_back(to_byte(h(h(value * s) + o)));
  }
  this->template tensor<T>(kCount, x);
  this->template tensor<T>(kColumns, scale);
  this->template tensor<T>(kColumns, offset);
  for (int i = 0; i < 3; ++i) this->template tensor<std::int8_t>(kCount);
  this->scratch(sizes::quantisation(2, kColumns));
  this->run([&] {
    const auto src = this->template at<T>(0), s = this->template at<T>(1),
               o = this->template at<T>(2);
    const auto tmp = this->template at<std::uint8_t>(6);
    AscendQuant(this->template at<std::int8_t>(3), src, tmp, 2.5f, 1.0f, kCount);
    AscendQuant(this->template at<std::int8_t>(4), src, s, T(2.0f), kColumns, kCount);
    AscendQuant(this->template at<std::int8_t>(5), src, tmp, s, o, kColumns, kColumns, kCount);
  });
  this->expect_near(3, one, 0, 0, "one scale");
  this->expect_near(4, by_column, 0, 0, "a scale a column");
  this->expect_near(5, both, 0, 0, "scale and offset a column");
}

TEST_F(Shapes, Dequantisation) {
  constexpr std::uint32_t kRows = 6, kN = 40, kWidth = 37;
  const Values x = rounded<std::int32_t>(numbers(kRows * kN, -100000, 100000));
  const Values scale = rounded<float>(numbers(kN, 0.0001, 0.001, 2));
  Values words, expected(kRows * kN, 7.0), halves(kRows * 48, 7.0), single;
  for (const double value : scale) {
    words.push_back(static_cast<double>(std::bit_cast<std::uint32_t>(static_cast<float>(value))));
  }
  for (std::uint32_t r = 0; r < kRows; ++r) {
    for (std::uint32_t c = 0; c < kN; ++c) {
      const double value = x[r * kN + c] * scale[c];
      single.push_back(value);
      if (c >= kWidth) continue;
      expected[r * kN + c] = value;
      halves[r * 48 + c] = value;
    }
  }
  tensor<std::int32_t>(kRows * kN, x);
  tensor<float>(kN, scale);
  tensor<std::uint64_t>(kN, words);
  tensor<float>(kRows * kN, Values(kRows * kN, 7.0));
  tensor<half>(kRows * 48, Values(kRows * 48, 7.0));
  tensor<float>(kRows * kN);
  tensor<float>(kRows * kN);
  run([&] {
    const auto src = at<std::int32_t>(0);
    AscendDequant(at<float>(3), src, at<float>(1), DequantParams{kRows, kN, kWidth});
    AscendDequant(at<half>(4), src, at<std::uint64_t>(2), DequantParams{kRows, kN, kWidth});
    AscendDequant(at<float>(5), src, at<float>(1), DequantParams{1, kRows * kN, kN});
    AscendDequant(at<float>(6), src, 0.5f, DequantParams{kRows, kN, kN});
  });
  expect_near(3, expected, 1e-6, 1e-6, "floats");
  expect_near(4, halves, 1e-3, 1e-4, "halves by words");
  expect_near(5, single, 1e-6, 1e-6, "a single row");
  Values half_of;
  for (const double value : x) half_of.push_back(value / 2);
  expect_near(6, half_of, 1e-6, 0, "a scale for all");
}

TEST_F(Shapes, AntiQuantisation) {
  constexpr std::uint32_t kK = 8, kN = 64;
  const Values x = rounded<std::int8_t>(numbers(kK * kN, -128, 127));
  const Values scale = rounded<half>(numbers(2 * kN, 0.01, 0.1, 2)),
               offset = rounded<half>(numbers(2 * kN, -4, 4, 3));
  Values plain, grouped, turned, one;
  for (std::uint32_t i = 0; i < kK * kN; ++i) {
    const std::uint32_t c = i % kN, g = i / kN / (kK / 2) * kN + c, t = i / kN;
    plain.push_back((x[i] + offset[c]) * scale[c]);
    grouped.push_back((x[i] + offset[g]) * scale[g]);
    turned.push_back((x[i] + offset[t]) * scale[t]);
    one.push_back((x[i] + 2) * 0.25);
  }
  tensor<std::int8_t>(kK * kN, x);
  tensor<half>(2 * kN, scale);
  tensor<half>(2 * kN, offset);
  for (int i = 0; i < 3; ++i) tensor<half>(kK * kN);
  tensor<bfloat16_t>(kK * kN);
  run([&] {
    const auto src = at<std::int8_t>(0);
    AscendAntiQuant<std::int8_t, half, false>(at<half>(3), src, at<half>(2), at<half>(1), kK,
                                              {1, kN, 1, kN});
    AscendAntiQuant<std::int8_t, half, false>(at<half>(4), src, at<half>(2), at<half>(1), kK,
                                              {2, kN, 2, kN});
    AscendAntiQuant<std::int8_t, half, true>(at<half>(5), src, at<half>(2), at<half>(1), kN,
                                             {kK, 1, kK, 1});
    AscendAntiQuant<std::int8_t, bfloat16_t, false>(at<bfloat16_t>(6), src, bfloat16_t(2.0f),
                                                    bfloat16_t(0.25f), kK);
  });
  expect_near(3, plain, 2e-3, 1e-2, "a scale a column");
  expect_near(4, grouped, 2e-3, 1e-2, "two groups of rows");
  expect_near(5, turned, 2e-3, 1e-2, "transposed");
  expect_near(6, one, 4e-3, 0, "bfloat16");
}

/// Two numbers of four bits lie in a byte, the first in its lower half.
TEST_F(Shapes, AntiQuantisationOfFourBits) {
  constexpr std::uint32_t kK = 4, kN = 64;
  Values packed, expected;
  const Values scale = rounded<half>(numbers(kN, 0.01, 0.1, 2)),
               offset = rounded<half>(numbers(kN, -4, 4, 3));
  for (std::uint32_t i = 0; i < kK * kN; ++i) {
    const int value = static_cast<int>(i * 7 % 16) - 8;
    if (i % 2 == 0) {
      packed.push_back(value & 15);
    } else {
      packed.back() += (value & 15) << 4;
    }
    expected.push_back((value + offset[i % kN]) * scale[i % kN]);
  }
  tensor<std::uint8_t>(packed.size(), packed);
  tensor<half>(kN, scale);
  tensor<half>(kN, offset);
  tensor<half>(kK * kN);
  run([&] {
    const auto src = at<std::uint8_t>(0).ReinterpretCast<int4b_t>();
    AscendAntiQuant<int4b_t, half, false>(at<half>(3), src, at<half>(2), at<half>(1), kK,
                                          {1, kN, 1, kN});
  });
  expect_near(3, expected, 2e-3, 1e-2);
}

/// Places that the kernel names itself, in place of those of the elements.
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
         {std::array{3u, 32u, 32u, 5u}, std::array{2u, 64u, 50u, 8u},
          std::array{2u, 512u, 500u, 100u}, std::array{1u, 2048u, 2048u, 33u}}) {
      Values x = rounded<T>(numbers(std::size_t{rows} * inner, -9, 9, k));
      x[3] = x[1];  // equal ones keep their order
      const std::uint32_t pitch = (k + 32 / sizeof(T) - 1) / (32 / sizeof(T)) * (32 / sizeof(T));
      const std::uint32_t index_pitch = (k + 7) / 8 * 8;
      this->forget();
      this->template tensor<T>(x.size(), x);
      this->template tensor<T>(rows * pitch, Values(rows * pitch, 0.0));
      this->template tensor<std::int32_t>(rows * index_pitch, Values(rows * index_pitch, 0.0));
      this->scratch(sizes::top_k(inner));
      Values best(rows * pitch, 0.0), places(rows * index_pitch, 0.0);
      for (std::uint32_t r = 0; r < rows; ++r) {
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
          return largest ? x[r * inner + a] > x[r * inner + b]
                         : x[r * inner + a] < x[r * inner + b];
        });
        for (std::uint32_t i = 0; i < k; ++i) {
          best[r * pitch + i] = x[r * inner + order[i]];
          places[r * index_pitch + i] = order[i];
        }
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
