// Gradients of gated units and of the logarithm of softmax.
#include <cmath>
#include <functional>

#include "lists/gradients.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::row_gradients {
namespace {

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

double normal_gate(double x) {
  return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
}

double tanh_gate(double x) {
  return x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
}

double swish_gate(double x) {
  return x * logistic(x);
}

class RowGradientsTest : public BasicTest {
 protected:
  static constexpr std::int64_t kRows = 5, kHalf = 67, kInner = 3;
  static constexpr std::size_t kResults = kRows * kHalf * kInner;

  /// Gradients of left * right, where one of them is a function of its half; by its values around.
  static Numbers expected(const Numbers& dy, const Numbers& x, double (*gate)(double),
                          bool of_left) {
    constexpr double kStep = 1e-5;
    constexpr std::size_t kSize = kHalf * kInner;
    Numbers gradients(2 * dy.size());
    for (std::size_t i = 0; i < dy.size(); ++i) {
      const std::size_t left = i / kSize * 2 * kSize + i % kSize, right = left + kSize;
      const std::size_t gated = of_left ? left : right, other = of_left ? right : left;
      const double slope = (gate(x[gated] + kStep) - gate(x[gated] - kStep)) / (2 * kStep);
      gradients[other] = dy[i] * gate(x[gated]);
      gradients[gated] = dy[i] * x[other] * slope;
    }
    return gradients;
  }

  void expect(
      const std::function<aclnnStatus(const aclTensor*, const aclTensor*, aclTensor*)>& call,
      double (*gate)(double), bool of_left) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      Numbers dy = of_type(spread(kResults, -1, 1), type);
      std::reverse(dy.begin(), dy.end());
      const Numbers x = of_type(spread(2 * kResults, -3, 3), type);
      const DeviceTensor gradient({kRows, kHalf, kInner}, dy, type);
      const DeviceTensor of({kRows, 2 * kHalf, kInner}, x, type);
      const DeviceTensor out({kRows, 2 * kHalf, kInner}, Numbers(x.size()), type);
      ASSERT_EQ(call(gradient, of, out), ACL_SUCCESS) << last_error();
      expect_near(out.values(), expected(dy, x, gate, of_left),
                  type == ACL_FLOAT ? 1e-5 : 2 * rounding_of(type));
    }
  }
};

TEST_F(RowGradientsTest, OfGatedUnits) {
  expect([&](auto dy, auto x, auto out) { return DAVSIM_CALL(GluBackward, dy, x, 1, out); },
         logistic, false);
  expect([&](auto dy, auto x, auto out) { return DAVSIM_CALL(SwiGluGrad, dy, x, -2, out); },
         swish_gate, true);
}

TEST_F(RowGradientsTest, OfGeGlu) {
  // The gelu of the gating half, of the same type.
  const auto of_half = [](const aclTensor* x, double (*gate)(double), bool left) {
    const auto type = static_cast<aclDataType>(x->GetDataType());
    const Numbers all = of_type(spread(2 * kResults, -3, 3), type);
    Numbers values;
    for (std::size_t i = 0; i < kResults; ++i) {
      constexpr std::size_t kSize = kHalf * kInner;
      values.push_back(gate(all[i / kSize * 2 * kSize + i % kSize + (left ? 0 : kSize)]));
    }
    return values;
  };
  for (const bool by_tanh : {false, true}) {
    double (*const gate)(double) = by_tanh ? tanh_gate : normal_gate;
    for (const bool left : {false, true}) {
      expect(
          [&](const aclTensor* dy, const aclTensor* x, aclTensor* out) {
            const DeviceTensor gelu({kRows, kHalf, kInner}, of_half(x, gate, left),
                                    static_cast<aclDataType>(x->GetDataType()));
            return DAVSIM_CALL(GeGluV3Backward, dy, x, gelu, 1, by_tanh ? 1 : 0, left, out);
          },
          gate, left);
    }
  }
  expect(
      [&](const aclTensor* dy, const aclTensor* x, aclTensor* out) {
        const DeviceTensor gelu({kRows, kHalf, kInner}, of_half(x, normal_gate, false),
                                static_cast<aclDataType>(x->GetDataType()));
        return DAVSIM_CALL(GeGluBackward, dy, x, gelu, 1, 0, out);
      },
      normal_gate, false);
}

TEST_F(RowGradientsTest, OfLogSoftmax) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    for (const std::int64_t dim : {0, 1}) {
      const Sizes sizes{37, 53};
      const Numbers dy = of_type(spread(37 * 53, -1, 1), type);
      const Numbers y = of_type(spread(37 * 53, -5, -2), type);
      const DeviceTensor gradient(sizes, dy, type), output(sizes, y, type);
      const DeviceTensor out(sizes, Numbers(dy.size()), type);
      ASSERT_EQ(DAVSIM_CALL(LogSoftmaxBackward, gradient, output, dim, out), ACL_SUCCESS)
          << last_error();
      Numbers expected;
      for (std::size_t i = 0; i < dy.size(); ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < (dim == 0 ? 37U : 53U); ++j) {
          sum += dy[dim == 0 ? j * 53 + i % 53 : i / 53 * 53 + j];
        }
        expected.push_back(dy[i] - std::exp(y[i]) * sum);
      }
      expect_near(out.values(), expected, type == ACL_DOUBLE ? 1e-12 : 2 * rounding_of(type));
    }
  }
}

TEST_F(RowGradientsTest, RulesOfArguments) {
  const DeviceTensor x({3, 4}, Numbers(12)), dy({3, 2}, Numbers(6)), odd({3, 3}, Numbers(9));
  const DeviceTensor half({3, 2}, Numbers(6), ACL_FLOAT16), nothing({0, 4}, {}), none({0, 2}, {});
  EXPECT_EQ(DAVSIM_CALL(GluBackward, dy, x, 1, dy), 161002);
  EXPECT_EQ(DAVSIM_CALL(GluBackward, dy, x, 2, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(GluBackward, half, x, 1, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(SwiGluGrad, dy, odd, 1, odd), 161002);
  EXPECT_EQ(DAVSIM_CALL(SwiGluGrad, dy, nullptr, 1, x), 161001);
  EXPECT_EQ(DAVSIM_CALL(SwiGluGrad, none, nothing, 1, nothing), ACL_SUCCESS);
  EXPECT_EQ(DAVSIM_CALL(GeGluBackward, dy, x, dy, 1, 2, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(GeGluBackward, dy, x, nullptr, 1, 0, x), 161001);
  EXPECT_EQ(DAVSIM_CALL(LogSoftmaxBackward, x, x, 2, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(LogSoftmaxBackward, x, dy, 1, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(LogSoftmaxBackward, x, x, 1, nullptr), 161001);
}

}  // namespace
}  // namespace davsim::test::row_gradients
