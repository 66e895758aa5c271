// Forms of softmax calls: one element a row, the third flash version, and what is refused.
#include "tests/library/softmax_rows.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class SoftmaxForms : public LibraryTest {};

constexpr SoftmaxConfig kOneElementARow(true, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC);

TEST_F(SoftmaxForms, OneElementARowAndMaximaOfTheseColumns) {
  const SoftmaxShape shape{40, 64, 64, 0};
  const Rows rows(shape);
  const Values x = numbers(40 * 64, -8, 8), in_max = numbers(40, 0, 12, 5),
               in_sum = numbers(40, 1, 3, 6);
  const Values own = rows.max(x);
  Values max = own, scale = own;
  for (std::size_t r = 0; r < 40; ++r) {
    max[r] = std::max(own[r], in_max[r]);
    scale[r] = std::exp(in_max[r] - max[r]);
  }
  const Values e = rows.map(x, [&](auto r, auto i) { return std::exp(x[i] - max[r]); });
  Values sum = rows.sum(e);
  for (std::size_t r = 0; r < 40; ++r) sum[r] += scale[r] * in_sum[r];
  // Room for so many rows; a whole number of DataBlocks of values is taken at once.
  for (const std::uint32_t room : {8u, 13u, 16u, 24u, 40u}) {
    forget();
    tensor<float>(x.size(), x);
    tensor<float>(40, in_max);
    tensor<float>(40, in_sum);
    for (int i = 0; i < 4; ++i) tensor<float>(40);
    const auto bytes = static_cast<std::uint32_t>(sizes::softmax(room, 64));
    scratch(bytes);
    run([&] {
      SoftmaxFlashV2<float, true, false, false, false, kOneElementARow>(
          at<float>(0), at<float>(3), at<float>(4), at<float>(5), at<float>(0), at<float>(6),
          at<float>(2), at<float>(1), at<std::uint8_t>(7),
          SoftMaxFlashV2TilingFunc(shape.info(), 4, 4, bytes), shape.info());
    });
    const std::string what = "room for " + std::to_string(room) + " rows:";
    expect_near(0, e, 1e-5, 1e-5, what);
    expect_near(3, own, 0, 1e-6, what);
    expect_near(4, sum, 1e-5, 1e-5, what);
    expect_near(5, max, 0, 1e-6, what);
    expect_near(6, scale, 1e-5, 1e-6, what);
  }
}

TEST_F(SoftmaxForms, OneElementARowNeedsRoomForADataBlockOfValues) {
  const SoftmaxShape shape{40, 64, 64, 0};
  tensor<float>(40 * 64, numbers(40 * 64, -8, 8));
  for (int i = 0; i < 3; ++i) tensor<float>(40);
  scratch(static_cast<std::uint32_t>(sizes::softmax(7, 64)));
  const std::string refused = refusal([&] {
    SoftmaxFlashV2<float, false, false, false, false, kOneElementARow>(
        at<float>(0), at<float>(1), at<float>(2), at<float>(0), at<float>(3), at<float>(1),
        at<float>(2), at<std::uint8_t>(4), SoftMaxFlashV2TilingFunc(shape.info(), 4, 4, 1 << 16),
        shape.info());
  });
  EXPECT_EQ(refused,
            "SoftmaxFlashV2: rows that the tiling and the temporary buffer allow at once is 7, "
            "allowed are 8 and more, or all, where sums and maxima have one element a row");
}

TEST_F(SoftmaxForms, ThirdFlashVersionGivesTheSameProbabilities) {
  const SoftmaxShape shape{9, 128, 128, 0};
  const Rows rows(shape);
  const double ratio = 0.9375 / (1 - 0.9375);
  Values x[2], mean, max, sum;
  double scale[2][9];
  for (int block = 0; block < 2; ++block) {
    x[block] = rounded<half>(numbers(9 * 128, -2 + block, 2 + block, 7u + block));
    forget();
    tensor<half>(9 * 128, x[block]);
    if (block == 0) {
      for (int i = 0; i < 3; ++i) tensor<float>(9 * 8);
    } else {
      for (const Values* values : {&mean, &sum, &max}) tensor<float>(9 * 8, *values);
    }
    tensor<half>(9 * 16, block == 0 ? Values(9 * 16, 1.0) : Values{});
    SoftMaxParams params;
    params.srcM = params.oriSrcM = 9;
    params.srcK = params.oriSrcK = 128;
    params.loopCnt = static_cast<std::uint32_t>(block) + 1;
    const auto tiling = SoftMaxFlashV2TilingFunc(shape.info(), 2, 4, 100000);
    run([&] {
      const auto data = at<half>(0), exp_max = at<half>(4);
      const auto m = at<float>(1), s = at<float>(2), x_max = at<float>(3);
      if (block == 0) {
        SoftmaxFlashV3<half, float, false>(data, m, s, x_max, data, exp_max, m, s, x_max, tiling,
                                           params);
      } else {
        SoftmaxFlashV3<half, float, true>(data, m, s, x_max, data, exp_max, m, s, x_max, tiling,
                                          params);
      }
    });
    const Values y = got(0), e = got(4);
    mean = got(1), sum = got(2), max = got(3);
    // The row's mean and each part's: what is left of x, whose exponentials these are.
    for (std::uint32_t r = 0; r < 9; ++r) {
      double row_mean = 0;
      for (std::uint32_t c = 0; c < 128; ++c) row_mean += x[block][rows.index(r, c)] / 128;
      double largest = -kInfinity, total = 0, shifted[128];
      for (std::uint32_t c = 0; c < 128; ++c) {
        double part = 0;
        for (std::uint32_t i = 0; i < 16; ++i)
          part += x[block][rows.index(r, c / 16 * 16 + i)] / 16;
        shifted[c] = x[block][rows.index(r, c)] - (row_mean - part) * ratio;
        largest = std::max(largest, shifted[c]);
      }
      for (const double value : shifted) total += std::exp(value - largest);
      if (block == 0) {
        EXPECT_NEAR(mean[r * 8], row_mean, 1e-4);
        EXPECT_NEAR(max[r * 8], largest, 1e-3);
        EXPECT_NEAR(sum[r * 8], total, 1e-2 * total);
        EXPECT_NEAR(y[rows.index(r, 5)], std::exp(shifted[5] - largest), 2e-3);
      }
      scale[block][r] = e[r * 16];
    }
    if (block == 1) {
      for (const double value : scale[1]) EXPECT_TRUE(value >= 0 && value <= 1) << value;
    }
  }
}

TEST_F(SoftmaxForms, LogSoftMaxOfLargeNumbersKeepsTheLogarithm) {
  const SoftmaxShape shape{9, 64, 64, 0};
  const Rows rows(shape);
  Values x = numbers(9 * 64, -4, 4);
  for (double& value : x) value += 100000;
  x = rounded<float>(x);
  const Values max = rows.max(x);
  const Values sum = rows.sum(rows.map(x, [&](auto r, auto i) { return std::exp(x[i] - max[r]); }));
  tensor<float>(x.size());
  tensor<float>(9 * 8);
  tensor<float>(9 * 8);
  tensor<float>(x.size(), x);
  scratch(40000);
  LogSoftMaxTiling tiling;
  sizes::softmax_tiling(tiling, 9, 64, 4, 40000);
  run([&] {
    LogSoftMax<float>(at<float>(0), at<float>(1), at<float>(2), at<float>(3), at<std::uint8_t>(4),
                      tiling, shape.info());
  });
  expect_near(
      0, rows.map(x, [&](auto r, auto i) { return std::log10(std::exp(x[i] - max[r]) / sum[r]); }),
      1e-5, 1e-5);
}

/// The first and the seventh row of the example of its documentation, and an exponential that is 0.
TEST_F(SoftmaxForms, LogSoftMaxIsOfBaseTen) {
  const SoftmaxShape shape{3, 8, 8, 0};
  for (int i = 0; i < 3; ++i) tensor<float>(24);
  tensor<float>(24, {-100, -80, -60, -50, -30,  -20, -15, -10, 1.5, 2,  3,  4,
                     5,    6,   7,   8,   -110, -1,  -1,  -1,  -1,  -1, -1, -1});
  scratch(4000);
  LogSoftMaxTiling tiling;
  sizes::softmax_tiling(tiling, 3, 8, 4, 4000);
  run([&] {
    LogSoftMax<float>(at<float>(0), at<float>(1), at<float>(2), at<float>(3), at<std::uint8_t>(4),
                      tiling, shape.info());
  });
  Values expected = {-39.08944,  -30.40355,   -21.71766,  -17.374716, -8.688826,  -4.345881,
                     -2.1744084, -0.00293603, -3.022131,  -2.8049836, -2.3706892, -1.9363947,
                     -1.5021002, -1.0678058,  -0.6335113, -0.1992168, -INFINITY};
  expected.insert(expected.end(), 7, -std::log10(7.0));
  expect_near(0, expected, 1e-5, 1e-5);
}

TEST_F(SoftmaxForms, Refusals) {
  tensor<float>(16 * 64, numbers(16 * 64, -1, 1));
  scratch(512);
  const auto with = [&](SoftMaxShapeInfo shape) {
    return refusal([&] {
      SoftMax<float>(at<float>(0), at<float>(0), SoftMaxTilingFunc(shape, 4, 1 << 16), shape);
    });
  };
  EXPECT_EQ(with({4, 12, 4, 12}),
            "SoftMax: bytes of srcK elements is 48, allowed are multiples of 32");
  EXPECT_EQ(with({16, 64, 16, 65}), "SoftMax: oriSrcK is 65, allowed are 1 to 64");
  EXPECT_EQ(with({17, 64, 17, 64}),
            "SoftMax: elements of src is 1024, allowed are 1088 elements and more");
  const SoftMaxShapeInfo shape{16, 64, 16, 64};
  EXPECT_EQ(refusal([&] {
              SoftMax<float>(at<float>(0), at<float>(0), at<std::uint8_t>(1),
                             SoftMaxTilingFunc(shape, 4, 1 << 16), shape);
            }).substr(0, 48),
            "SoftMax: bytes of sharedTmpBuffer is 512, allowe");
  const SoftMaxShapeInfo odd{12, 64, 12, 64};
  EXPECT_NE(refusal([&] {
              SoftMax<float, false, true>(at<float>(0), at<float>(0),
                                          SoftMaxTilingFunc(odd, 4, 1 << 16), odd);
            }).find("isBasicBlock"),
            std::string::npos);
}

}  // namespace
}  // namespace davsim::test
