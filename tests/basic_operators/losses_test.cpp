// Losses and their gradients against the mathematics of the host.
#include <cmath>
#include <functional>

#include "lists/losses.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::losses {
namespace {

using OfPair = std::function<double(double, double)>;

class LossesTest : public BasicTest {
 protected:
  /// Not a whole number of tiles.
  static constexpr std::int64_t kRows = 19, kColumns = 67;
  static constexpr std::size_t kCount = kRows * kColumns;

  struct Range {
    double least, most;
  };

  using Loss =
      std::function<aclnnStatus(const aclTensor*, const aclTensor*, std::int64_t, aclTensor*)>;
  using Gradient = std::function<aclnnStatus(const aclTensor*, const aclTensor*, const aclTensor*,
                                             std::int64_t, aclTensor*)>;

  /// Elements, mean and sum of the loss of both tensors, and its gradient by the values around.
  void expect(const Loss& loss, const Gradient& gradient, const OfPair& of, Range self = {-2, 2},
              Range target = {-2, 2}) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      SCOPED_TRACE("type " + std::to_string(type));
      const Numbers x = of_type(spread(kCount, self.least, self.most), type);
      Numbers y = of_type(spread(kCount, target.least, target.most), type);
      std::reverse(y.begin(), y.end());
      const DeviceTensor xs({kRows, kColumns}, x, type), ys({kRows, kColumns}, y, type);
      expect_values(loss, of, x, y, xs, ys);
      expect_gradients(gradient, of, x, y, xs, ys);
    }
  }

 private:
  void expect_values(const Loss& loss, const OfPair& of, const Numbers& x, const Numbers& y,
                     const DeviceTensor& xs, const DeviceTensor& ys) {
    const aclDataType type = xs.type();
    const double near = type == ACL_FLOAT ? 1e-5 : 2 * rounding_of(type);
    const DeviceTensor each({kRows, kColumns}, Numbers(kCount), type), one({}, {0}, type);
    Numbers expected;
    double sum = 0;
    for (std::size_t i = 0; i < kCount; ++i) sum += expected.emplace_back(of(x[i], y[i]));
    ASSERT_EQ(loss(xs, ys, 0, each), ACL_SUCCESS) << last_error();
    expect_near(each.values(), expected, near);
    ASSERT_EQ(loss(xs, ys, 1, one), ACL_SUCCESS) << last_error();
    expect_near(one.values(), {sum / kCount}, near);
    ASSERT_EQ(loss(xs, ys, 2, one), ACL_SUCCESS) << last_error();
    expect_near(one.values(), {sum}, near);
    EXPECT_EQ(loss(xs, ys, 1, each), 161002);
    EXPECT_EQ(loss(xs, ys, 0, one), 161002);
    EXPECT_EQ(loss(xs, ys, 7, one), 161002);
    EXPECT_EQ(loss(nullptr, ys, 0, each), 161001);
    EXPECT_EQ(loss(xs, ys, 0, nullptr), 161001);
  }

  void expect_gradients(const Gradient& gradient, const OfPair& of, const Numbers& x,
                        const Numbers& y, const DeviceTensor& xs, const DeviceTensor& ys) {
    const aclDataType type = xs.type();
    const double near = type == ACL_FLOAT ? 1e-5 : 2 * rounding_of(type);
    const Numbers dy = of_type(spread(kCount, -1, 1), type);
    const DeviceTensor each({kRows, kColumns}, dy, type), one({}, {0.5}, type);
    const DeviceTensor out({kRows, kColumns}, Numbers(kCount), type);
    Numbers slopes, expected;
    constexpr double kStep = 1e-6;
    for (std::size_t i = 0; i < kCount; ++i) {
      slopes.push_back((of(x[i] + kStep, y[i]) - of(x[i] - kStep, y[i])) / (2 * kStep));
      expected.push_back(dy[i] * slopes[i]);
    }
    ASSERT_EQ(gradient(each, xs, ys, 0, out), ACL_SUCCESS) << last_error();
    expect_near(out.values(), expected, near);
    for (const std::int64_t reduction : {1, 2}) {
      const double part = reduction == 1 ? 0.5 / kCount : 0.5;
      ASSERT_EQ(gradient(one, xs, ys, reduction, out), ACL_SUCCESS) << last_error();
      for (std::size_t i = 0; i < kCount; ++i) expected[i] = part * slopes[i];
      expect_near(out.values(), expected, near);
    }
    EXPECT_EQ(gradient(each, xs, nullptr, 0, out), 161001);
    EXPECT_EQ(gradient(each, xs, ys, -1, out), 161002);
    EXPECT_EQ(gradient(each, xs, ys, 0, one), 161002);
  }
};

/// What takes both tensors, the number of the reduction and the result.
#define DAVSIM_LOSS(Name) \
  [&](auto x, auto y, auto how, auto out) { return DAVSIM_CALL(Name, x, y, how, out); }
#define DAVSIM_LOSS_GRADIENT(Name) \
  [&](auto dy, auto x, auto y, auto how, auto out) { return DAVSIM_CALL(Name, dy, x, y, how, out); }

double logistic_loss(double x) {
  return std::log1p(std::exp(-x));
}

TEST_F(LossesTest, OfDistances) {
  const auto square = [](double x, double y) { return (x - y) * (x - y); };
  expect(DAVSIM_LOSS(MseLoss), DAVSIM_LOSS_GRADIENT(MseLossBackward), square);
  expect(DAVSIM_LOSS(MseLossOut), DAVSIM_LOSS_GRADIENT(MseLossBackward), square);
  expect(DAVSIM_LOSS(L1Loss), DAVSIM_LOSS_GRADIENT(L1LossBackward),
         [](double x, double y) { return std::fabs(x - y); }, {-2, 0.99}, {1, 2});
  expect([&](auto x, auto y, auto how,
             auto out) { return DAVSIM_CALL(SmoothL1Loss, x, y, how, 0.5F, out); },
         [&](auto dy, auto x, auto y, auto how, auto out) {
           return DAVSIM_CALL(SmoothL1LossBackward, dy, x, y, how, 0.5F, out);
         },
         [](double x, double y) {
           const double d = std::fabs(x - y);
           return d < 0.5 ? d * d : d - 0.25;
         });
}

TEST_F(LossesTest, OfProbabilities) {
  const aclTensor* const none = nullptr;
  expect([&](auto x, auto y, auto how,
             auto out) { return DAVSIM_CALL(BinaryCrossEntropy, x, y, none, how, out); },
         [&](auto dy, auto x, auto y, auto how, auto out) {
           return DAVSIM_CALL(BinaryCrossEntropyBackward, dy, x, y, none, how, out);
         },
         [](double x, double y) { return -(y * std::log(x) + (1 - y) * std::log1p(-x)); },
         {0.1, 0.9}, {0, 1});
  const DeviceTensor weight({1, 1}, {1.5}), more({1}, {3});
  expect(
      [&](auto x, auto y, auto how, auto out) {
        return DAVSIM_CALL(BinaryCrossEntropyWithLogits, x, y, weight, more, how, out);
      },
      [&](auto dy, auto x, auto y, auto how, auto out) {
        return DAVSIM_CALL(BinaryCrossEntropyWithLogitsBackward, dy, x, y, weight, more, how, out);
      },
      [](double x, double y) {
        return 1.5 * (3 * y * logistic_loss(x) + (1 - y) * logistic_loss(-x));
      },
      {-3, 3}, {0, 1});
  expect(DAVSIM_LOSS(SoftMarginLoss), DAVSIM_LOSS_GRADIENT(SoftMarginLossBackward),
         [](double x, double y) { return logistic_loss(x * y); });
  for (const bool logarithms : {false, true}) {
    expect([&](auto x, auto y, auto how,
               auto out) { return DAVSIM_CALL(KlDiv, x, y, how, logarithms, out); },
           [&](auto dy, auto x, auto y, auto how, auto out) {
             return DAVSIM_CALL(KlDivBackward, dy, x, y, how, logarithms, out);
           },
           [&](double x, double y) {
             if (logarithms) return std::exp(y) * (y - x);
             return y > 0 ? y * (std::log(y) - x) : 0;
           });
  }
}

TEST_F(LossesTest, OfCertainProbabilities) {
  const DeviceTensor x({4}, {0, 1, 0, 1}), y({4}, {0, 1, 1, 0}), out({4}, Numbers(4));
  ASSERT_EQ(DAVSIM_CALL(BinaryCrossEntropy, x, y, nullptr, 0, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({0, 0, 100, 100}));
}

TEST_F(LossesTest, DivideByTheBatch) {
  const DeviceTensor x({2, 2}, {0, 1, 2, 3}), y({2, 2}, {1, 1, 1, 1}), out({1}, {0});
  ASSERT_EQ(DAVSIM_CALL(KlDiv, x, y, 3, false, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({-3}));
  const DeviceTensor one({1}, {8}), slopes({2, 2}, Numbers(4));
  ASSERT_EQ(DAVSIM_CALL(KlDivBackward, one, x, y, 3, false, slopes), ACL_SUCCESS) << last_error();
  EXPECT_EQ(slopes.values(), Numbers({-4, -4, -4, -4}));
}

TEST_F(LossesTest, RepeatForACommonShape) {
  const DeviceTensor x({2, 1}, {1, 3}), y({3}, {0, 1, 2}), out({2, 3}, Numbers(6));
  ASSERT_EQ(DAVSIM_CALL(MseLoss, x, y, 0, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({1, 0, 1, 9, 4, 1}));
  EXPECT_EQ(DAVSIM_CALL(BinaryCrossEntropy, x, y, nullptr, 0, out), 161002);
}

TEST_F(LossesTest, OfNothing) {
  const DeviceTensor nothing({0, 3}, {}), one({}, {5}), whole({2}, Numbers(2), ACL_INT32);
  ASSERT_EQ(DAVSIM_CALL(L1Loss, nothing, nothing, 2, one), ACL_SUCCESS) << last_error();
  EXPECT_EQ(one.values(), Numbers({0}));
  ASSERT_EQ(DAVSIM_CALL(L1Loss, nothing, nothing, 1, one), ACL_SUCCESS) << last_error();
  EXPECT_TRUE(std::isnan(one.values()[0]));
  EXPECT_EQ(DAVSIM_CALL(L1Loss, nothing, nothing, 0, nothing), ACL_SUCCESS);
  EXPECT_EQ(DAVSIM_CALL(L1Loss, whole, whole, 0, whole), 161002);
  EXPECT_EQ(DAVSIM_CALL(SmoothL1Loss, one, one, 0, -1.0F, one), 161002);
}

}  // namespace
}  // namespace davsim::test::losses
