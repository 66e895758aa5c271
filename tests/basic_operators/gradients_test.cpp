// Gradients of functions of one tensor against the mathematics of the host.
#include <cmath>
#include <functional>

#include "lists/gradients.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::gradients {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

double gelu(double x) {
  return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
}

double gelu_tanh(double x) {
  return x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
}

double mish(double x) {
  return x * std::tanh(std::log1p(std::exp(x)));
}

/// The slope of a function at x by its values around it.
std::function<double(double)> slope_of(double (*function)(double)) {
  constexpr double kStep = 1e-5;
  return [function](double x) { return (function(x + kStep) - function(x - kStep)) / (2 * kStep); };
}

class GradientsTest : public BasicTest {
 protected:
  /// Not a whole number of tiles.
  static constexpr std::int64_t kRows = 33, kColumns = 301;

  using Call = std::function<aclnnStatus(const aclTensor*, const aclTensor*, aclTensor*)>;

  /// The call gives gradients times `slope` of the other tensor, which has numbers up to `most`.
  void expect(const Call& call, const std::function<double(double)>& slope, double most = 4) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      Numbers dy = of_type(spread(kRows * kColumns, -2, 2), type);
      const Numbers x = of_type(spread(kRows * kColumns, -most, most), type);
      std::reverse(dy.begin(), dy.end());
      const DeviceTensor gradient({kRows, kColumns}, dy, type), other({kRows, kColumns}, x, type);
      const DeviceTensor out({kRows, kColumns}, Numbers(x.size()), type);
      ASSERT_EQ(call(gradient, other, out), ACL_SUCCESS) << last_error();
      Numbers expected;
      for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(dy[i] * slope(x[i]));
      expect_near(out.values(), expected, type == ACL_FLOAT ? 4e-6 : rounding_of(type));
    }
  }
};

/// What takes the gradient, the other tensor and the result, in this order.
#define DAVSIM_GRADIENT(Name) \
  [&](auto dy, auto x, auto out) { return DAVSIM_CALL(Name, dy, x, out); }

TEST_F(GradientsTest, OfActivationsFromTheirResults) {
  expect(
      DAVSIM_GRADIENT(TanhBackward), [](double y) { return 1 - y * y; }, 1);
  expect(
      DAVSIM_GRADIENT(SigmoidBackward), [](double y) { return y * (1 - y); }, 1);
  expect(
      DAVSIM_GRADIENT(SeluBackward),
      [](double y) {
        return y > 0 ? 1.0507009873554805 : y + 1.0507009873554805 * 1.6732632423543772;
      },
      1.7);
  expect(
      [&](auto dy, auto y, auto out) {
        return DAVSIM_CALL(EluBackward, dy, Scalar(0.75), Scalar(1.5), Scalar(2), true, y, out);
      },
      [](double y) { return y > 0 ? 1.5 : 2 * (y + 0.75 * 1.5); }, 1);
}

TEST_F(GradientsTest, OfSmoothActivations) {
  const auto silu = [](double v) { return sigmoid(v) * (1 + v * (1 - sigmoid(v))); };
  expect(DAVSIM_GRADIENT(SiluBackward), silu);
  expect([&](auto dy, auto x,
             auto out) { return DAVSIM_CALL(SwishBackward, dy, x, Scalar(0.5), out); },
         [](double x) { return sigmoid(x / 2) * (1 + x / 2 * (1 - sigmoid(x / 2))); });
  const aclScalar* const none = nullptr;
  expect([&](auto dy, auto x, auto out) { return DAVSIM_CALL(SwishBackward, dy, x, none, out); },
         silu);
  expect(DAVSIM_GRADIENT(FastGeluBackward), [](double x) {
    const double s = sigmoid(1.702 * x);
    return s * (1 + 1.702 * x * (1 - s));
  });
  expect(DAVSIM_GRADIENT(MishBackward), slope_of(mish));
  expect([&](auto dy, auto x, auto out) { return DAVSIM_CALL(LogSigmoidBackward, dy, x, x, out); },
         [](double x) { return sigmoid(-x); });
  expect([&](auto dy, auto x,
             auto out) { return DAVSIM_CALL(SoftplusBackward, dy, x, Scalar(2), Scalar(3), out); },
         [](double x) { return 2 * x > 3 ? 1 : sigmoid(2 * x); });
  expect(
      [&](auto dy, auto x, auto out) {
        return DAVSIM_CALL(EluBackward, dy, Scalar(0.75), Scalar(1.5), Scalar(2), false, x, out);
      },
      [](double x) { return x > 0 ? 1.5 : 2 * 0.75 * 1.5 * std::exp(2 * x); });
}

TEST_F(GradientsTest, OfGelu) {
  char none[] = "none", by_tanh[] = "tanh", other[] = "erf";
  expect(DAVSIM_GRADIENT(GeluBackward), slope_of(gelu));
  expect([&](auto dy, auto x, auto out) { return DAVSIM_CALL(GeluBackwardV2, dy, x, none, out); },
         slope_of(gelu));
  expect(
      [&](auto dy, auto x, auto out) { return DAVSIM_CALL(GeluBackwardV2, dy, x, by_tanh, out); },
      slope_of(gelu_tanh));
  const DeviceTensor x({4}, Numbers(4)), row({2, 1}, {1, -2}), out({2, 4}, Numbers(8));
  EXPECT_EQ(DAVSIM_CALL(GeluBackwardV2, x, x, other, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(GeluBackwardV2, x, x, nullptr, x), 161001);
  ASSERT_EQ(DAVSIM_CALL(GeluBackward, row, x, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({0.5, 0.5, 0.5, 0.5, -1, -1, -1, -1}));
}

TEST_F(GradientsTest, OfActivationsWithCorners) {
  expect([&](auto dy, auto x,
             auto out) { return DAVSIM_CALL(ThresholdBackward, dy, x, Scalar(0.25), out); },
         [](double x) { return x > 0.25 ? 1 : 0; });
  expect(DAVSIM_GRADIENT(HardsigmoidBackward),
         [](double x) { return x > -3 && x < 3 ? 1.0 / 6 : 0; });
  expect(DAVSIM_GRADIENT(HardswishBackward), [](double x) {
    return x < -3 ? 0 : x > 3 ? 1 : x / 3 + 0.5;
  });
  expect([&](auto dy, auto x,
             auto out) { return DAVSIM_CALL(HardtanhBackward, dy, x, Scalar(-1), Scalar(2), out); },
         [](double x) { return x > -1 && x < 2 ? 1 : 0; });
  expect([&](auto dy, auto x,
             auto out) { return DAVSIM_CALL(LeakyReluBackward, dy, x, Scalar(0.125), false, out); },
         [](double x) { return x > 0 ? 1 : 0.125; });
}

TEST_F(GradientsTest, AtCorners) {
  const DeviceTensor one({4}, {1, 1, 1, 1}), x({4}, {-3, 3, 0, 4}), out({4}, Numbers(4));
  ASSERT_EQ(DAVSIM_CALL(HardswishBackward, one, x, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {-0.5, 1.5, 0.5, 1}, 1e-6);
  ASSERT_EQ(DAVSIM_CALL(HardswishBackwardV2, one, x, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {0, 1, 0.5, 1}, 1e-6);
  ASSERT_EQ(DAVSIM_CALL(HardsigmoidBackward, one, x, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {0, 0, 1.0 / 6, 0}, 1e-6);
  ASSERT_EQ(DAVSIM_CALL(HardtanhBackward, one, x, Scalar(-3), Scalar(4), out), ACL_SUCCESS);
  expect_near(out.values(), {0, 1, 1, 0}, 0);
  ASSERT_EQ(DAVSIM_CALL(LeakyReluBackward, one, x, Scalar(0.5), true, out), ACL_SUCCESS);
  expect_near(out.values(), {0.5, 1, 0.5, 1}, 0);
}

TEST_F(GradientsTest, OfDouble) {
  const DeviceTensor dy({3}, {1e300, -1, 3}, ACL_DOUBLE), x({3}, {-1, 0.5, -2}, ACL_DOUBLE);
  const DeviceTensor out({3}, Numbers(3), ACL_DOUBLE);
  ASSERT_EQ(DAVSIM_CALL(LeakyReluBackward, dy, x, Scalar(0.5), false, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), Numbers({5e299, -1, 1.5}));
}

TEST_F(GradientsTest, RefusesOtherShapesAndTypes) {
  const DeviceTensor x({4}, Numbers(4)), y({3}, Numbers(3)), whole({4}, Numbers(4), ACL_INT32);
  EXPECT_EQ(DAVSIM_CALL(TanhBackward, x, y, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(SigmoidBackward, x, x, y), 161002);
  EXPECT_EQ(DAVSIM_CALL(SiluBackward, whole, x, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(ThresholdBackward, x, y, Scalar(0), x), 161002);
  EXPECT_EQ(DAVSIM_CALL(GeluBackward, x, y, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(TanhBackward, nullptr, x, x), 161001);
  EXPECT_EQ(DAVSIM_CALL(LogSigmoidBackward, x, x, nullptr, x), 161001);
  EXPECT_EQ(DAVSIM_CALL(LeakyReluBackward, x, x, Scalar(-1), true, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(EluBackward, x, Scalar(-1), Scalar(1), Scalar(1), true, x, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(EluBackward, x, nullptr, Scalar(1), Scalar(1), true, x, x), 161001);
}

}  // namespace
}  // namespace davsim::test::gradients
