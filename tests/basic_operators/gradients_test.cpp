// Gradients of functions of one tensor against the mathematics of the host.
#include <cmath>

#include "lists/gradients.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::gradients {
namespace {

class GradientsTest : public BasicTest {
 protected:
  /// Not a whole number of tiles.
  static constexpr std::int64_t kRows = 33, kColumns = 301;
};

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

TEST_F(GradientsTest, OfActivations) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const double near = type == ACL_FLOAT ? 4e-6 : type == ACL_FLOAT16 ? 1e-3 : 8e-3;
    Numbers dy = spread(kRows * kColumns, -2, 2), x = spread(kRows * kColumns, -1, 1);
    std::reverse(dy.begin(), dy.end());
    for (double& value : dy) value = as_type(value, type);
    for (double& value : x) value = as_type(value, type);
    const DeviceTensor gradient({kRows, kColumns}, dy, type), other({kRows, kColumns}, x, type);
    const DeviceTensor out({kRows, kColumns}, Numbers(x.size()), type);
    const auto expect = [&](auto of) {
      Numbers expected;
      for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(dy[i] * of(x[i]));
      expect_near(out.values(), expected, near);
    };
    ASSERT_EQ(DAVSIM_CALL(TanhBackward, gradient, other, out), ACL_SUCCESS) << last_error();
    expect([](double y) { return 1 - y * y; });
    ASSERT_EQ(DAVSIM_CALL(SigmoidBackward, gradient, other, out), ACL_SUCCESS) << last_error();
    expect([](double y) { return y * (1 - y); });
    ASSERT_EQ(DAVSIM_CALL(SiluBackward, gradient, other, out), ACL_SUCCESS) << last_error();
    expect([](double v) { return sigmoid(v) * (1 + v * (1 - sigmoid(v))); });
    ASSERT_EQ(DAVSIM_CALL(ThresholdBackward, gradient, other, Scalar(0.25), out), ACL_SUCCESS)
        << last_error();
    expect([](double v) { return v > 0.25 ? 1 : 0; });
  }
}

TEST_F(GradientsTest, RefusesOtherShapesAndTypes) {
  const DeviceTensor x({4}, Numbers(4)), y({3}, Numbers(3)), whole({4}, Numbers(4), ACL_INT32);
  EXPECT_EQ(DAVSIM_CALL(TanhBackward, x, y, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(SigmoidBackward, x, x, y), 161002);
  EXPECT_EQ(DAVSIM_CALL(SiluBackward, whole, x, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(ThresholdBackward, x, y, Scalar(0), x), 161002);
  EXPECT_EQ(DAVSIM_CALL(TanhBackward, nullptr, x, x), 161001);
}

}  // namespace
}  // namespace davsim::test::gradients
