// Gradients of norms and embeddings: those of norms by the values of a plain norm around.
#include <cmath>
#include <functional>

#include "lists/gradients.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::norm_gradients {
namespace {

constexpr double kEps = 1e-3;

struct Statistics {
  double mean, rstd;
};

Statistics statistics_of(const Numbers& row, bool centred) {
  double mean = 0, squares = 0;
  for (const double x : row) mean += x / static_cast<double>(row.size());
  if (!centred) mean = 0;
  for (const double x : row) squares += (x - mean) * (x - mean) / static_cast<double>(row.size());
  return {mean, 1 / std::sqrt(squares + kEps)};
}

class Mask {
 public:
  Mask(bool first, bool second, bool third) {
    const bool values[] = {first, second, third};
    array_ = aclCreateBoolArray(values, 3);
  }
  ~Mask() { aclDestroyBoolArray(array_); }
  Mask(const Mask&) = delete;
  Mask& operator=(const Mask&) = delete;
  operator aclBoolArray*() const { return array_; }

 private:
  aclBoolArray* array_;
};

/// Tensors whose rows, as `row_of` says, are normalized, and whose elements have a weight each.
struct Case {
  std::size_t count, rows, weights;
  std::function<std::size_t(std::size_t)> row_of, weight_of;
  bool centred = true;

  /// The sum of all results times dy.
  double total(const Numbers& x, const Numbers& dy, const Numbers& weight) const {
    std::vector<Numbers> elements(rows);
    for (std::size_t i = 0; i < count; ++i) elements[row_of(i)].push_back(x[i]);
    std::vector<Statistics> statistics;
    for (const Numbers& row : elements) statistics.push_back(statistics_of(row, centred));
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Statistics& of = statistics[row_of(i)];
      sum += dy[i] * (x[i] - of.mean) * of.rstd * weight[weight_of(i)];
    }
    return sum;
  }
  /// What changes with the elements of one of the arguments.
  Numbers gradients(Numbers values, const std::function<double(const Numbers&)>& of) const {
    constexpr double kStep = 1e-5;
    Numbers made;
    for (double& value : values) {
      const double own = value;
      value = own + kStep;
      const double more = of(values);
      value = own - kStep;
      made.push_back((more - of(values)) / (2 * kStep));
      value = own;
    }
    return made;
  }
};

class NormGradientsTest : public BasicTest {
 protected:
  struct Data {
    Numbers x, dy, weight, means, rstd;
  };

  static Data data_of(const Case& at, aclDataType type) {
    Data data{of_type(spread(at.count, -2, 3), type),
              of_type(spread(at.count, -1, 1), type),
              of_type(spread(at.weights, 0.5, 2), type),
              {},
              {}};
    std::reverse(data.dy.begin(), data.dy.end());
    std::vector<Numbers> rows(at.rows);
    for (std::size_t i = 0; i < at.count; ++i) rows[at.row_of(i)].push_back(data.x[i]);
    for (const Numbers& row : rows) {
      data.means.push_back(statistics_of(row, at.centred).mean);
      data.rstd.push_back(statistics_of(row, at.centred).rstd);
    }
    return data;
  }

  static void expect(const Case& at, const Data& data, const Numbers& dx, const Numbers& dweight,
                     double tolerance) {
    expect_near(
        dx,
        at.gradients(data.x, [&](const Numbers& x) { return at.total(x, data.dy, data.weight); }),
        tolerance);
    expect_near(
        dweight,
        at.gradients(data.weight,
                     [&](const Numbers& weight) { return at.total(data.x, data.dy, weight); }),
        tolerance);
  }
  static double tolerance_of(aclDataType type) {
    return type == ACL_FLOAT ? 1e-5 : 2 * rounding_of(type);
  }
  /// Sums of dy for each weight.
  static Numbers bias_gradients(const Case& at, const Numbers& dy) {
    Numbers sums(at.weights);
    for (std::size_t i = 0; i < at.count; ++i) sums[at.weight_of(i)] += dy[i];
    return sums;
  }
};

TEST_F(NormGradientsTest, OfLayerNorm) {
  const Case at{5 * 33, 5, 33, [](std::size_t i) { return i / 33; },
                [](std::size_t i) { return i % 33; }};
  const Ints within{3, 11};
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Data data = data_of(at, type);
    const DeviceTensor x({5, 3, 11}, data.x, type), dy({5, 3, 11}, data.dy, type);
    const DeviceTensor mean({5, 1, 1}, data.means), rstd({5, 1, 1}, data.rstd);
    const DeviceTensor weight({3, 11}, data.weight, type), dx({5, 3, 11}, Numbers(at.count), type);
    const DeviceTensor dweight({3, 11}, Numbers(33)), dbias({3, 11}, Numbers(33));
    ASSERT_EQ(DAVSIM_CALL(LayerNormBackward, dy, x, within, mean, rstd, weight, nullptr,
                          Mask(true, true, true), dx, dweight, dbias),
              ACL_SUCCESS)
        << last_error();
    expect(at, data, dx.values(), dweight.values(), tolerance_of(type));
    expect_near(dbias.values(), bias_gradients(at, data.dy), 1e-5);
  }
}

TEST_F(NormGradientsTest, OfRmsNorm) {
  const Case at{
      7 * 40, 7, 40, [](std::size_t i) { return i / 40; }, [](std::size_t i) { return i % 40; },
      false};
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Data data = data_of(at, type);
    const DeviceTensor x({7, 40}, data.x, type), dy({7, 40}, data.dy, type),
        rstd({7, 1}, data.rstd);
    const DeviceTensor gamma({40}, data.weight, type), dx({7, 40}, Numbers(at.count), type);
    const DeviceTensor dgamma({40}, Numbers(40));
    ASSERT_EQ(DAVSIM_CALL(RmsNormGrad, dy, x, rstd, gamma, dx, dgamma), ACL_SUCCESS)
        << last_error();
    expect(at, data, dx.values(), dgamma.values(), tolerance_of(type));
  }
}

TEST_F(NormGradientsTest, OfGroupNorm) {
  // 2 images of 6 channels in 3 groups, 5 places.
  const Case at{60, 6, 6, [](std::size_t i) { return i / 10; },
                [](std::size_t i) { return i / 5 % 6; }};
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Data data = data_of(at, type);
    const DeviceTensor x({2, 6, 5}, data.x, type), dy({2, 6, 5}, data.dy, type);
    const DeviceTensor mean({2, 3}, data.means), rstd({2, 3}, data.rstd),
        gamma({6}, data.weight, type);
    const DeviceTensor dx({2, 6, 5}, Numbers(60), type), dgamma({6}, Numbers(6)),
        dbeta({6}, Numbers(6));
    ASSERT_EQ(DAVSIM_CALL(GroupNormBackward, dy, x, mean, rstd, gamma, 2, 6, 5, 3,
                          Mask(true, true, true), dx, dgamma, dbeta),
              ACL_SUCCESS)
        << last_error();
    expect(at, data, dx.values(), dgamma.values(), tolerance_of(type));
    expect_near(dbeta.values(), bias_gradients(at, data.dy), 1e-5);
  }
}

TEST_F(NormGradientsTest, OfBatchNorm) {
  // 4 images of 3 channels, 7 places; statistics are those of the channels.
  const Case at{84, 3, 3, [](std::size_t i) { return i / 7 % 3; },
                [](std::size_t i) { return i / 7 % 3; }};
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Data data = data_of(at, type);
    Numbers variances;
    for (const double rstd : data.rstd) variances.push_back(1 / (rstd * rstd) - kEps);
    const DeviceTensor x({4, 3, 7}, data.x, type), dy({4, 3, 7}, data.dy, type);
    const DeviceTensor mean({3}, data.means), variance({3}, variances),
        weight({3}, data.weight, type);
    const DeviceTensor dx({4, 3, 7}, Numbers(84), type), dweight({3}, Numbers(3)),
        dbias({3}, Numbers(3));
    ASSERT_EQ(DAVSIM_CALL(BatchNormBackward, dy, x, weight, nullptr, nullptr, mean, variance, true,
                          kEps, Mask(true, true, true), dx, dweight, dbias),
              ACL_SUCCESS)
        << last_error();
    expect(at, data, dx.values(), dweight.values(), tolerance_of(type));
    expect_near(dbias.values(), bias_gradients(at, data.dy), 1e-5);
    // The running statistics are constants.
    ASSERT_EQ(DAVSIM_CALL(BatchNormBackward, dy, x, weight, mean, variance, nullptr, nullptr, false,
                          kEps, Mask(true, false, false), dx, nullptr, nullptr),
              ACL_SUCCESS)
        << last_error();
    Numbers expected;
    for (std::size_t i = 0; i < at.count; ++i) {
      expected.push_back(data.dy[i] * data.rstd[at.row_of(i)] * data.weight[at.weight_of(i)]);
    }
    expect_near(dx.values(), expected, tolerance_of(type));
  }
}

TEST_F(NormGradientsTest, OfEmbeddings) {
  for (const std::int64_t size : {3, 40}) {
    const auto width = static_cast<std::size_t>(size);
    const Numbers dy = spread(6 * width, -1, 1), indices{2, 0, 2, 3, 2, 0};
    const DeviceTensor gradient({2, 3, size}, dy), index({2, 3}, indices, ACL_INT64);
    const DeviceTensor out({4, size}, Numbers(4 * width, 9));
    for (const bool scaled : {false, true}) {
      Numbers expected(4 * width);
      for (std::size_t i = 0; i < dy.size(); ++i) {
        const double row = indices[i / width], times = row == 2 ? 3 : row == 0 ? 2 : 1;
        if (row == 3) continue;  // the padding
        expected[static_cast<std::size_t>(row) * width + i % width] += dy[i] / (scaled ? times : 1);
      }
      ASSERT_EQ(DAVSIM_CALL(EmbeddingDenseBackward, gradient, index, 4, 3, scaled, out),
                ACL_SUCCESS)
          << last_error();
      expect_near(out.values(), expected, 1e-6);
    }
    EXPECT_EQ(DAVSIM_CALL(EmbeddingDenseBackward, gradient, index, 5, 3, false, out), 161002);
  }
}

TEST_F(NormGradientsTest, OfARowThatThereIsNot) {
  const DeviceTensor gradient({2, 1}, {1, 1}), index({2}, {0, 3}, ACL_INT32),
      out({3, 1}, Numbers(3));
  EXPECT_EQ(DAVSIM_CALL(EmbeddingDenseBackward, gradient, index, 3, ~0ULL, false, out), 507018);
  expect_error("element 1 of indices is 3");
}

TEST_F(NormGradientsTest, RulesOfArguments) {
  const DeviceTensor x({2, 4}, Numbers(8)), row({4}, Numbers(4)), one({2, 1}, Numbers(2));
  const DeviceTensor whole({2, 4}, Numbers(8), ACL_INT32);
  const Ints within{4}, other{2};
  const Mask all(true, true, true);
  EXPECT_EQ(DAVSIM_CALL(LayerNormBackward, x, x, other, one, one, row, nullptr, all, x, row, row),
            161002);
  EXPECT_EQ(DAVSIM_CALL(LayerNormBackward, x, x, within, one, row, row, nullptr, all, x, row, row),
            161002);
  EXPECT_EQ(
      DAVSIM_CALL(LayerNormBackward, x, x, within, one, one, row, nullptr, all, x, row, nullptr),
      161001);
  EXPECT_EQ(
      DAVSIM_CALL(LayerNormBackward, x, x, within, one, one, row, nullptr, nullptr, x, row, row),
      161001);
  EXPECT_EQ(
      DAVSIM_CALL(LayerNormBackward, x, whole, within, one, one, row, nullptr, all, x, row, row),
      161002);
  EXPECT_EQ(DAVSIM_CALL(RmsNormGrad, x, x, row, row, x, row), 161002);
  EXPECT_EQ(DAVSIM_CALL(RmsNormGrad, x, x, one, nullptr, x, row), 161001);
  EXPECT_EQ(DAVSIM_CALL(GroupNormBackward, x, x, one, one, row, 2, 4, 1, 3, all, x, row, row),
            161002);
  EXPECT_EQ(DAVSIM_CALL(BatchNormBackward, x, x, row, nullptr, nullptr, nullptr, row, true, 0.1,
                        all, x, row, row),
            161001);
  EXPECT_EQ(DAVSIM_CALL(BatchNormBackward, row, row, row, row, row, row, row, true, 0.1, all, row,
                        row, row),
            161002);
}

}  // namespace
}  // namespace davsim::test::norm_gradients
