// Norms along rows of all lengths against sums of the host.
#include <cmath>

#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_elemt.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::norms {
namespace {

constexpr double kEpsilon = 1e-3;

struct Statistics {
  double mean = 0, rstd = 0;
};

Statistics statistics(const double* row, std::size_t length, bool centred) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < length; ++i) sum += row[i];
  const double mean = centred ? sum / static_cast<double>(length) : 0;
  for (std::size_t i = 0; i < length; ++i) squares += (row[i] - mean) * (row[i] - mean);
  return {mean, 1 / std::sqrt(squares / static_cast<double>(length) + kEpsilon)};
}

/// The norm of rows of x; `weight` says which element of gamma and beta an element takes.
template <class Weight>
Numbers normed(const Numbers& x, std::size_t length, bool centred, const Numbers& gamma,
               const Numbers& beta, const Weight& weight) {
  Numbers y;
  for (std::size_t row = 0; row < x.size() / length; ++row) {
    const Statistics of = statistics(&x[row * length], length, centred);
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t at = weight(row, i);
      const double value = (x[row * length + i] - of.mean) * of.rstd;
      y.push_back(value * (gamma.empty() ? 1 : gamma[at]) + (beta.empty() ? 0 : beta[at]));
    }
  }
  return y;
}

Numbers normed(const Numbers& x, std::size_t length, bool centred, const Numbers& gamma,
               const Numbers& beta) {
  return normed(x, length, centred, gamma, beta, [](std::size_t, std::size_t i) { return i; });
}

Numbers sum(const Numbers& x, const Numbers& y) {
  Numbers values = x;
  for (std::size_t i = 0; i < x.size(); ++i) values[i] += y[i % y.size()];
  return values;
}

void expect_statistics(const Numbers& means, const Numbers& rstd, const Numbers& x,
                       std::size_t length, bool centred) {
  Numbers expected_means, expected_rstd;
  for (std::size_t row = 0; row < x.size() / length; ++row) {
    const Statistics of = statistics(&x[row * length], length, centred);
    expected_means.push_back(of.mean);
    expected_rstd.push_back(of.rstd);
  }
  if (centred) expect_near(means, expected_means, 1e-5);
  expect_near(rstd, expected_rstd, 1e-5);
}

class NormsTest : public BasicTest {};

/// Rows and their length: short ones, many in a tile, one in a tile, and longer ones.
const std::pair<std::int64_t, std::int64_t> kRows[] = {
    {300, 5}, {130, 256}, {41, 1003}, {3, 4096}, {2, 11001}};

TEST_F(NormsTest, RmsNorm) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const auto& [rows, length] : kRows) {
      SCOPED_TRACE("type " + std::to_string(type) + ", length " + std::to_string(length));
      const auto size = static_cast<std::size_t>(length);
      const Numbers x = of_type(spread(static_cast<std::size_t>(rows) * size, -2, 3), type);
      const Numbers g = of_type(spread(size, 0.5, 1.5), type);
      const DeviceTensor input({rows, length}, x, type), gamma({length}, g, type);
      const DeviceTensor y({rows, length}, Numbers(x.size()), type),
          rstd({rows, 1}, Numbers(x.size() / size));
      ASSERT_EQ(DAVSIM_CALL(RmsNorm, input, gamma, kEpsilon, y, rstd), ACL_SUCCESS) << last_error();
      expect_near(y.values(), normed(x, size, false, g, {}), 3 * rounding_of(type));
      expect_statistics({}, rstd.values(), x, size, false);
    }
  }
}

/// Programs give the statistics the shape of x, whose memory may have room for those of rows alone.
TEST_F(NormsTest, RmsNormWithMoreRoomForStatistics) {
  const Numbers x = spread(3 * 40, -2, 3), g = spread(40, 0.5, 1.5);
  const DeviceTensor input({3, 40}, x), gamma({40}, g), y({3, 40}, Numbers(120));
  const DeviceTensor rstd({3, 40}, Numbers(120, 7));
  ASSERT_EQ(DAVSIM_CALL(RmsNorm, input, gamma, kEpsilon, y, rstd), ACL_SUCCESS) << last_error();
  expect_near(y.values(), normed(x, 40, false, g, {}), 3 * rounding_of(ACL_FLOAT));
  Numbers made = rstd.values();
  EXPECT_EQ(Numbers(made.begin() + 3, made.end()), Numbers(117, 7));
  made.resize(3);
  expect_statistics({}, made, x, 40, false);
  const DeviceTensor small({8}, Numbers(8));
  const std::int64_t sizes[] = {3, 40};
  aclTensor* const beyond =
      aclCreateTensor(sizes, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, sizes, 2, small.address());
  ASSERT_EQ(DAVSIM_CALL(RmsNorm, input, gamma, kEpsilon, y, beyond), ACL_SUCCESS) << last_error();
  EXPECT_EQ(aclDestroyTensor(beyond), ACL_SUCCESS);
  made = small.values();
  made.resize(3);
  expect_statistics({}, made, x, 40, false);
}

TEST_F(NormsTest, RmsNormOfASum) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const auto& [rows, length] : kRows) {
      SCOPED_TRACE("type " + std::to_string(type) + ", length " + std::to_string(length));
      const auto size = static_cast<std::size_t>(length),
                 all = static_cast<std::size_t>(rows) * size;
      const Numbers a = of_type(spread(all, -2, 3), type), b = of_type(spread(all, 5, 6), type);
      const Numbers g = of_type(spread(size, 0.5, 1.5), type);
      const DeviceTensor x1({rows, length}, a, type), x2({rows, length}, b, type);
      const DeviceTensor gamma({length}, g, type), rstd({rows, 1}, Numbers(all / size));
      const DeviceTensor y({rows, length}, Numbers(all), type),
          x({rows, length}, Numbers(all), type);
      ASSERT_EQ(DAVSIM_CALL(AddRmsNorm, x1, x2, gamma, kEpsilon, y, rstd, x), ACL_SUCCESS)
          << last_error();
      expect_near(y.values(), normed(sum(a, b), size, false, g, {}), 3 * rounding_of(type));
      expect_near(x.values(), sum(a, b), rounding_of(type));
      expect_statistics({}, rstd.values(), sum(a, b), size, false);
    }
  }
}

TEST_F(NormsTest, LayerNorm) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const auto& [rows, length] : kRows) {
      SCOPED_TRACE("type " + std::to_string(type) + ", length " + std::to_string(length));
      const auto size = static_cast<std::size_t>(length),
                 all = static_cast<std::size_t>(rows) * size;
      const Numbers x = of_type(spread(all, -2, 3), type),
                    g = of_type(spread(size, 0.5, 1.5), type);
      const Numbers b = of_type(spread(size, -1, 1), type);
      const DeviceTensor input({rows, length}, x, type), weight({length}, g, type);
      const DeviceTensor bias({length}, b, type), out({rows, length}, Numbers(all), type);
      const DeviceTensor mean({rows, 1}, Numbers(all / size), type),
          rstd({rows, 1}, Numbers(all / size));
      const Ints shape{length};
      ASSERT_EQ(DAVSIM_CALL(LayerNorm, input, shape, weight, bias, kEpsilon, out, mean, rstd),
                ACL_SUCCESS)
          << last_error();
      expect_near(out.values(), normed(x, size, true, g, b), 3 * rounding_of(type));
      if (type == ACL_FLOAT) expect_statistics(mean.values(), rstd.values(), x, size, true);
    }
  }
}

TEST_F(NormsTest, LayerNormOfSeveralDimensionsWithoutWeights) {
  const Numbers x = spread(7 * 5 * 6 * 4, -2, 3);
  const DeviceTensor input({7, 5, 6, 4}, x), out({7, 5, 6, 4}, Numbers(x.size()));
  const DeviceTensor mean({7, 5, 1, 1}, Numbers(35)), rstd({7, 5, 1, 1}, Numbers(35));
  const Ints shape{6, 4};
  aclTensor* const none = nullptr;
  ASSERT_EQ(DAVSIM_CALL(LayerNorm, input, shape, none, none, kEpsilon, out, mean, rstd),
            ACL_SUCCESS)
      << last_error();
  expect_near(out.values(), normed(x, 24, true, {}, {}), 1e-5);
  expect_statistics(mean.values(), rstd.values(), x, 24, true);
  ASSERT_EQ(DAVSIM_CALL(LayerNorm, input, shape, none, none, kEpsilon, out, none, none),
            ACL_SUCCESS)
      << last_error();
}

TEST_F(NormsTest, LayerNormOfASum) {
  const std::size_t all = 60 * 500;
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16}) {
    const Numbers a = of_type(spread(all, -2, 3), type), b = of_type(spread(all, 5, 6), type);
    const Numbers g = of_type(spread(500, 0.5, 1.5), type), d = of_type(spread(500, -1, 1), type);
    const DeviceTensor x1({60, 500}, a, type), x2({60, 500}, b, type), gamma({500}, g, type);
    const DeviceTensor beta({500}, d, type), row_bias({500}, d, type), bias({60, 500}, b, type);
    const DeviceTensor y({60, 500}, Numbers(all), type), x({60, 500}, Numbers(all), type);
    const DeviceTensor mean({60, 1}, Numbers(60)), rstd({60, 1}, Numbers(60));
    const struct {
      aclTensor* bias;
      Numbers total;
    } kCases[] = {{nullptr, sum(a, b)}, {row_bias, sum(sum(a, b), d)}, {bias, sum(sum(a, b), b)}};
    for (const auto& [added, total] : kCases) {
      ASSERT_EQ(
          DAVSIM_CALL(AddLayerNorm, x1, x2, gamma, beta, added, kEpsilon, true, y, mean, rstd, x),
          ACL_SUCCESS)
          << last_error();
      expect_near(y.values(), normed(total, 500, true, g, d), 3 * rounding_of(type));
      expect_near(x.values(), total, rounding_of(type));
      expect_statistics(mean.values(), rstd.values(), total, 500, true);
    }
  }
}

TEST_F(NormsTest, OfStridedTensors) {
  const DeviceTensor input({20, 30}, {1, 40}, 7, spread(60 * 40, -2, 2));
  const DeviceTensor gamma({30}, {2}, 1, spread(60, 0.5, 1.5)), rstd({20, 1}, Numbers(20));
  const DeviceTensor y({20, 30}, {60, 2}, 1, Numbers(1300));
  ASSERT_EQ(DAVSIM_CALL(RmsNorm, input, gamma, kEpsilon, y, rstd), ACL_SUCCESS) << last_error();
  expect_near(y.values(), normed(input.values(), 30, false, gamma.values(), {}), 1e-5);
}

TEST_F(NormsTest, GroupNorm) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    // Groups of 2 and 3 channels; the last case has rows longer than a tile.
    for (const auto& [c, height, groups] :
         {std::tuple{12, 7, 6}, std::tuple{12, 7, 4}, std::tuple{4, 63, 2}}) {
      const std::int64_t size = height * height;
      const auto all = static_cast<std::size_t>(3 * c * size);
      const Numbers x = of_type(spread(all, -2, 3), type);
      const Numbers g = of_type(spread(static_cast<std::size_t>(c), 0.5, 1.5), type);
      const Numbers b = of_type(spread(static_cast<std::size_t>(c), -1, 1), type);
      const DeviceTensor self({3, c, height, height}, x, type), gamma({c}, g, type);
      const DeviceTensor beta({c}, b, type), out({3, c, height, height}, Numbers(all), type);
      const auto rows = static_cast<std::size_t>(3 * groups);
      const DeviceTensor mean({3, groups}, Numbers(rows)), rstd({3, groups}, Numbers(rows));
      ASSERT_EQ(
          DAVSIM_CALL(GroupNorm, self, gamma, beta, 3, c, size, groups, kEpsilon, out, mean, rstd),
          ACL_SUCCESS)
          << last_error();
      const std::size_t length = all / rows, own = static_cast<std::size_t>(c / groups);
      expect_near(out.values(),
                  normed(x, length, true, g, b,
                         [&](std::size_t row, std::size_t i) {
                           return row % static_cast<std::size_t>(groups) * own +
                                  i / static_cast<std::size_t>(size);
                         }),
                  3 * rounding_of(type));
      expect_statistics(mean.values(), rstd.values(), x, length, true);
    }
  }
}

/// The norm over all but the second of three dimensions, with statistics of each channel.
Numbers batch_normed(const Numbers& x, std::int64_t channels, std::int64_t size,
                     const std::vector<Statistics>& of, const Numbers& weight,
                     const Numbers& bias) {
  Numbers y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = i / static_cast<std::size_t>(size) % static_cast<std::size_t>(channels);
    y.push_back((x[i] - of[c].mean) * of[c].rstd * (weight.empty() ? 1 : weight[c]) +
                (bias.empty() ? 0 : bias[c]));
  }
  return y;
}

TEST_F(NormsTest, BatchNormByRunningStatistics) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16}) {
    const Numbers x = of_type(spread(4 * 6 * 350, -2, 3), type);
    const Numbers w = spread(6, 0.5, 1.5), b = spread(6, -1, 1), m = spread(6, 0, 1),
                  v = spread(6, 1, 2);
    const DeviceTensor input({4, 6, 350}, x, type), output({4, 6, 350}, Numbers(x.size()), type);
    const DeviceTensor weight({6}, w), bias({6}, b), mean({6}, m), variance({6}, v);
    const DeviceTensor save_mean({6}, Numbers(6)), save_rstd({6}, Numbers(6));
    std::vector<Statistics> of;
    for (std::size_t c = 0; c < 6; ++c) of.push_back({m[c], 1 / std::sqrt(v[c] + kEpsilon)});
    ASSERT_EQ(DAVSIM_CALL(BatchNorm, input, weight, bias, mean, variance, false, 0.1, kEpsilon,
                          output, save_mean, save_rstd),
              ACL_SUCCESS)
        << last_error();
    expect_near(output.values(), batch_normed(x, 6, 350, of, w, b), 3 * rounding_of(type));
    expect_near(mean.values(), of_type(m, ACL_FLOAT), 0);
    aclTensor* const none = nullptr;
    ASSERT_EQ(DAVSIM_CALL(BatchNorm, input, none, none, mean, variance, false, 0.1, kEpsilon,
                          output, save_mean, save_rstd),
              ACL_SUCCESS)
        << last_error();
    expect_near(output.values(), batch_normed(x, 6, 350, of, {}, {}), 3 * rounding_of(type));
  }
}

TEST_F(NormsTest, BatchNormByGivenStatistics) {
  const Numbers w = spread(6, 0.5, 1.5), b = spread(6, -1, 1), m = spread(6, 0, 1),
                r = spread(6, 0.5, 2);
  const DeviceTensor weight({6}, w), bias({6}, b), mean({6}, m), rstd({6}, r), few({5}, Numbers(5));
  std::vector<Statistics> of;
  for (std::size_t c = 0; c < 6; ++c) of.push_back({m[c], r[c]});
  aclTensor* const none = nullptr;
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16}) {
    const Numbers x = of_type(spread(4 * 6 * 35, -2, 3), type);
    const DeviceTensor input({4, 6, 35}, x, type), output({4, 6, 35}, Numbers(x.size()), type);
    ASSERT_EQ(DAVSIM_CALL(BatchNormElemt, input, weight, bias, mean, rstd, kEpsilon, output),
              ACL_SUCCESS)
        << last_error();
    expect_near(output.values(), batch_normed(x, 6, 35, of, w, b), 3 * rounding_of(type));
    ASSERT_EQ(DAVSIM_CALL(BatchNormElemt, input, none, none, mean, rstd, kEpsilon, output),
              ACL_SUCCESS)
        << last_error();
    expect_near(output.values(), batch_normed(x, 6, 35, of, {}, {}), 3 * rounding_of(type));
    EXPECT_EQ(DAVSIM_CALL(BatchNormElemt, input, none, none, none, rstd, kEpsilon, output), 161001);
    EXPECT_EQ(DAVSIM_CALL(BatchNormElemt, input, none, none, mean, few, kEpsilon, output), 161002);
    EXPECT_EQ(DAVSIM_CALL(BatchNormElemt, input, none, none, mean, rstd, kEpsilon, mean), 161002);
  }
}

TEST_F(NormsTest, BatchNormInTraining) {
  const Numbers x = spread(4 * 6 * 350, -2, 3), m = spread(6, 0, 1), v = spread(6, 1, 2);
  const DeviceTensor input({4, 6, 350}, x), output({4, 6, 350}, Numbers(x.size()));
  const DeviceTensor mean({6}, m), variance({6}, v);
  const DeviceTensor save_mean({6}, Numbers(6)), save_variance({6}, Numbers(6));
  aclTensor* const none = nullptr;
  ASSERT_EQ(DAVSIM_CALL(BatchNorm, input, none, none, mean, variance, true, 0.25, kEpsilon, output,
                        save_mean, save_variance),
            ACL_SUCCESS)
      << last_error();
  std::vector<Statistics> of;
  Numbers means, variances, running_means, running_variances;
  for (std::size_t c = 0; c < 6; ++c) {
    const Numbers row = rows_of(x, {4, 6, 350}, {0, 2})[c];
    of.push_back(statistics(row.data(), row.size(), true));
    means.push_back(of[c].mean);
    variances.push_back(1 / (of[c].rstd * of[c].rstd) - kEpsilon);
    const double unbiased = variances[c] * 1400 / 1399;
    running_means.push_back(m[c] + 0.25 * (of[c].mean - m[c]));
    running_variances.push_back(v[c] + 0.25 * (unbiased - v[c]));
  }
  expect_near(output.values(), batch_normed(x, 6, 350, of, {}, {}), 1e-5);
  expect_near(save_mean.values(), means, 1e-5);
  expect_near(save_variance.values(), variances, 1e-5);
  expect_near(mean.values(), running_means, 1e-5);
  expect_near(variance.values(), running_variances, 1e-5);
}

TEST_F(NormsTest, BatchNormWithoutStatistics) {
  const Numbers x = spread(4 * 6 * 50, -2, 3);
  const DeviceTensor input({4, 6, 50}, x), output({4, 6, 50}, Numbers(x.size()));
  aclTensor* const none = nullptr;
  ASSERT_EQ(DAVSIM_CALL(BatchNorm, input, none, none, none, none, false, 0.1, kEpsilon, output,
                        none, none),
            ACL_SUCCESS)
      << last_error();
  const std::vector<Statistics> of(6, {0, 1 / std::sqrt(1 + kEpsilon)});
  expect_near(output.values(), batch_normed(x, 6, 50, of, {}, {}), 1e-5);
}

TEST_F(NormsTest, RulesOfArguments) {
  const DeviceTensor x({3, 4}, Numbers(12)), y({3, 4}, Numbers(12)), rstd({3, 1}, Numbers(3));
  const DeviceTensor gamma({4}, Numbers(4)), other({3}, Numbers(3)),
      whole({3, 4}, Numbers(12), ACL_INT32);
  const DeviceTensor half({3, 4}, Numbers(12), ACL_FLOAT16), nothing({0, 4}, {}), none({0, 1}, {});
  aclTensor* const null = nullptr;
  EXPECT_EQ(DAVSIM_CALL(RmsNorm, null, gamma, 1e-5, y, rstd), 161001);
  EXPECT_EQ(DAVSIM_CALL(RmsNorm, x, null, 1e-5, y, rstd), 161001);
  EXPECT_EQ(DAVSIM_CALL(RmsNorm, whole, gamma, 1e-5, whole, rstd), 161002);
  EXPECT_EQ(DAVSIM_CALL(RmsNorm, x, other, 1e-5, y, rstd), 161002);
  EXPECT_NE(last_error().find("gamma has the last sizes of [3,4], not the shape [3]"),
            std::string::npos)
      << last_error();
  EXPECT_EQ(DAVSIM_CALL(RmsNorm, x, gamma, 1e-5, half, rstd), 161002);
  const DeviceTensor few({2}, Numbers(2));
  EXPECT_EQ(DAVSIM_CALL(RmsNorm, x, gamma, 1e-5, y, few), 161002);
  EXPECT_NE(last_error().find("rstdOut has 3 elements, one for each row"), std::string::npos);
  EXPECT_EQ(DAVSIM_CALL(RmsNorm, nothing, gamma, 1e-5, nothing, none), ACL_SUCCESS);
  const Ints shape{4}, wrong{3};
  EXPECT_EQ(DAVSIM_CALL(LayerNorm, x, nullptr, null, null, 1e-5, y, null, null), 161001);
  EXPECT_EQ(DAVSIM_CALL(LayerNorm, x, wrong, null, null, 1e-5, y, null, null), 161002);
  EXPECT_EQ(DAVSIM_CALL(LayerNorm, x, shape, other, null, 1e-5, y, null, null), 161002);
  EXPECT_EQ(DAVSIM_CALL(GroupNorm, x, gamma, gamma, 3, 4, 1, 3, 1e-5, y, rstd, rstd), 161002);
  EXPECT_EQ(DAVSIM_CALL(GroupNorm, x, gamma, gamma, 3, 4, 2, 2, 1e-5, y, rstd, rstd), 161002);
  EXPECT_EQ(
      DAVSIM_CALL(BatchNorm, gamma, null, null, gamma, gamma, false, 0.1, 1e-5, gamma, null, null),
      161002);
  EXPECT_EQ(DAVSIM_CALL(BatchNorm, x, null, null, other, gamma, false, 0.1, 1e-5, y, null, null),
            161002);
}

}  // namespace
}  // namespace davsim::test::norms
