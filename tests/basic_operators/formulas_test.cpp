// Functions of several pointwise steps against the mathematics of the host.
#include <cmath>
#include <functional>
#include <limits>

#include "lists/formulas.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::formulas {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

class FormulasTest : public BasicTest {
 protected:
  static constexpr std::int64_t kRows = 7, kColumns = 83;
  static constexpr std::size_t kCount = kRows * kColumns;

  using Call = std::function<aclnnStatus(const aclTensor*, const aclTensor*, aclTensor*)>;

  /// The call of both tensors, of which the second one is repeated.
  void expect(const Call& call, const std::function<double(double, double)>& of, double least = -3,
              double most = 3) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
      Numbers x = of_type(spread(kCount, least, most), type);
      const Numbers y = of_type(spread(kColumns, least, most), type);
      x[3] = 0;
      const DeviceTensor xs({kRows, kColumns}, x, type), ys({kColumns}, y, type);
      const DeviceTensor out({kRows, kColumns}, Numbers(kCount), type);
      ASSERT_EQ(call(xs, ys, out), ACL_SUCCESS) << last_error();
      Numbers expected;
      for (std::size_t i = 0; i < kCount; ++i) expected.push_back(of(x[i], y[i % kColumns]));
      const double near = type == ACL_DOUBLE  ? 1e-12
                          : type == ACL_FLOAT ? 1e-5
                                              : 2 * rounding_of(type);
      expect_near(out.values(), expected, near);
      EXPECT_EQ(call(nullptr, ys, out), 161001);
      EXPECT_EQ(call(xs, ys, nullptr), 161001);
      EXPECT_EQ(call(xs, ys, ys), 161002);
      const DeviceTensor truth({kRows, kColumns}, Numbers(kCount), ACL_BOOL);
      EXPECT_EQ(call(xs, ys, truth), 161002);
    }
  }
  /// The numbers that a call leaves of a vector.
  Numbers of(const std::function<aclnnStatus(const aclTensor*, aclTensor*)>& call, const Numbers& x,
             aclDataType made = ACL_FLOAT) {
    const auto size = static_cast<std::int64_t>(x.size());
    const DeviceTensor self({size}, x), out({size}, Numbers(x.size()), made);
    EXPECT_EQ(call(self, out), ACL_SUCCESS) << last_error();
    return out.values();
  }
};

#define DAVSIM_OF_TWO(Name) [&](auto x, auto y, auto out) { return DAVSIM_CALL(Name, x, y, out); }

TEST_F(FormulasTest, OfTwo) {
  expect(DAVSIM_OF_TWO(Heaviside), [](double x, double y) { return x == 0 ? y : x > 0 ? 1 : 0; });
  expect(DAVSIM_OF_TWO(LogAddExp),
         [](double x, double y) { return std::log(std::exp(x) + std::exp(y)); });
  expect(DAVSIM_OF_TWO(LogAddExp2),
         [](double x, double y) { return std::log2(std::exp2(x) + std::exp2(y)); });
  expect(
      DAVSIM_OF_TWO(XLogYTensor), [](double x, double y) { return x == 0 ? 0 : x * std::log(y); },
      0.5, 4);
  expect(DAVSIM_OF_TWO(Prelu), [](double x, double y) { return x > 0 ? x : x * y; });
  expect([&](auto x, auto y,
             auto out) { return DAVSIM_CALL(HardshrinkBackward, x, y, Scalar(1.5), out); },
         [](double x, double y) { return std::fabs(y) <= 1.5 ? 0 : x; });
  expect([&](auto x, auto y,
             auto out) { return DAVSIM_CALL(SoftshrinkBackward, x, y, Scalar(1.5), out); },
         [](double x, double y) { return std::fabs(y) <= 1.5 ? 0 : x; });
}

TEST_F(FormulasTest, OfInfinities) {
  const DeviceTensor x({5}, {kInfinity, -kInfinity, -kInfinity, 0, 1}), out({5}, Numbers(5));
  const DeviceTensor y({5}, {kInfinity, -kInfinity, 2, kNan, kInfinity});
  ASSERT_EQ(DAVSIM_CALL(LogAddExp, x, y, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {kInfinity, -kInfinity, 2, kNan, kInfinity}, 1e-6);
  ASSERT_EQ(DAVSIM_CALL(XLogYTensor, x, y, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {kInfinity, kNan, -kInfinity, kNan, kInfinity}, 1e-6);
  ASSERT_EQ(DAVSIM_CALL(XLogYScalarOther, x, Scalar(0), out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {-kInfinity, kInfinity, kInfinity, 0, -kInfinity}, 0);
  ASSERT_EQ(DAVSIM_CALL(XLogYScalarSelf, Scalar(0), y, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {0, 0, 0, kNan, 0}, 0);
}

TEST_F(FormulasTest, OfOne) {
  const auto hard = [&](auto x, auto out) { return DAVSIM_CALL(Hardshrink, x, Scalar(0.5), out); };
  expect_near(of(hard, {-1, -0.5, 0.2, 0.75, kNan}), {-1, 0, 0, 0.75, kNan}, 0);
  const auto soft = [&](auto x, auto out) { return DAVSIM_CALL(Softshrink, x, Scalar(0.5), out); };
  expect_near(of(soft, {-1, -0.5, 0.2, 0.75, kNan}), {-0.5, 0, 0, 0.25, 0}, 0);
  const auto plain = [&](auto x, auto out) { return DAVSIM_CALL(Logit, x, -1.0, out); };
  expect_near(of(plain, {0.25, 0.5, 1}), {-std::log(3.0), 0, kInfinity}, 1e-6);
  const auto cut = [&](auto x, auto out) { return DAVSIM_CALL(Logit, x, 0.25, out); };
  expect_near(of(cut, {0, 0.5, 1}), {-std::log(3.0), 0, std::log(3.0)}, 1e-6);
  const auto above = [&](auto x, auto out) { return DAVSIM_CALL(IsPosInf, x, out); };
  EXPECT_EQ(of(above, {kInfinity, -kInfinity, kNan, 1}, ACL_BOOL), Numbers({1, 0, 0, 0}));
  const auto below = [&](auto x, auto out) { return DAVSIM_CALL(IsNegInf, x, out); };
  EXPECT_EQ(of(below, {kInfinity, -kInfinity, kNan, 1}, ACL_BOOL), Numbers({0, 1, 0, 0}));
  const DeviceTensor x({2}, Numbers(2)), whole({2}, Numbers(2), ACL_INT32);
  EXPECT_EQ(DAVSIM_CALL(Hardshrink, x, Scalar(-1), x), 161002);
  EXPECT_EQ(DAVSIM_CALL(Softshrink, x, nullptr, x), 161001);
  EXPECT_EQ(DAVSIM_CALL(IsPosInf, x, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(Logit, x, 0.1, whole), 161002);
}

TEST_F(FormulasTest, InPlace) {
  const DeviceTensor x({3}, {2, 0, -1}), y({3}, {1, 5, std::exp(2.0)});
  ASSERT_EQ(DAVSIM_CALL(InplaceXLogYTensor, x, y), ACL_SUCCESS) << last_error();
  expect_near(x.values(), {0, 0, -2}, 1e-6);
  ASSERT_EQ(DAVSIM_CALL(InplaceXLogYScalarOther, x, Scalar(std::exp(1.0))), ACL_SUCCESS)
      << last_error();
  expect_near(x.values(), {0, 0, -2}, 1e-6);
}

TEST_F(FormulasTest, NearEachOther) {
  const DeviceTensor x({6}, {1, 1, kNan, kInfinity, kInfinity, -2}),
      y({6}, {1.01, 1.2, kNan, kInfinity, 5, 2});
  const DeviceTensor out({6}, Numbers(6), ACL_BOOL), number({6}, Numbers(6));
  ASSERT_EQ(DAVSIM_CALL(IsClose, x, y, 0.01, 0.001, false, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({1, 0, 0, 1, 0, 0}));
  ASSERT_EQ(DAVSIM_CALL(IsClose, x, y, 0.01, 0.001, true, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({1, 0, 1, 1, 0, 0}));
  // Whole numbers that float does not have.
  const DeviceTensor a({1}, {16777217}, ACL_INT32), b({1}, {16777216}, ACL_INT32),
      same({1}, {9}, ACL_BOOL);
  ASSERT_EQ(DAVSIM_CALL(IsClose, a, b, 0.0, 0.0, false, same), ACL_SUCCESS) << last_error();
  EXPECT_EQ(same.values(), Numbers({0}));
  EXPECT_EQ(DAVSIM_CALL(IsClose, x, y, -1.0, 0.0, false, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(IsClose, x, y, 0.0, 0.0, false, number), 161002);
}

TEST_F(FormulasTest, SumsWithOuterProducts) {
  const DeviceTensor a({2}, {1, 2}), b({3}, {1, 10, 100}), x({3}, {5, kNan, 7}),
      out({2, 3}, Numbers(6));
  ASSERT_EQ(DAVSIM_CALL(Addr, x, a, b, Scalar(2), Scalar(3), out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {13, kNan, 314, 16, kNan, 614}, 0);
  ASSERT_EQ(DAVSIM_CALL(Addr, x, a, b, Scalar(0), Scalar(1), out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {1, 10, 100, 2, 20, 200}, 0);
  ASSERT_EQ(DAVSIM_CALL(InplaceAddr, out, a, b, Scalar(1), Scalar(1)), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {2, 20, 200, 4, 40, 400}, 0);
  EXPECT_EQ(DAVSIM_CALL(Addr, a, a, b, Scalar(1), Scalar(1), out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Addr, x, out, b, Scalar(1), Scalar(1), out), 161002);
}

TEST_F(FormulasTest, SlopesOfChannels) {
  const DeviceTensor x({1, 2, 2}, {-1, 2, -3, -4}), weight({2}, {0.5, 2}),
      out({1, 2, 2}, Numbers(4));
  ASSERT_EQ(DAVSIM_CALL(Prelu, x, weight, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({-0.5, 2, -6, -8}));
  const DeviceTensor three({3}, Numbers(3));
  EXPECT_EQ(DAVSIM_CALL(Prelu, x, three, out), 161002);
}

}  // namespace
}  // namespace davsim::test::formulas
