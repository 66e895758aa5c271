// Pointwise functions against the mathematics of the host, on each type.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lists/comparisons.h"
#include "lists/of_one.h"
#include "lists/of_pairs.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::pointwise {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr aclDataType kReals[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

using Second = aclnnStatus (*)(void*, std::uint64_t, aclOpExecutor*, aclrtStream);
using OfOne = aclnnStatus (*)(const aclTensor*, aclTensor*, std::uint64_t*, aclOpExecutor**);
using OfTwo = aclnnStatus (*)(const aclTensor*, const aclTensor*, aclTensor*, std::uint64_t*,
                              aclOpExecutor**);

/// How far results may be from those in double: rounding, and the error of float's functions.
double tolerance_of(aclDataType type) {
  return type == ACL_FLOAT ? 4e-6 : type == ACL_FLOAT16 ? 1e-3 : 8e-3;
}

Numbers of_type(Numbers values, aclDataType type) {
  for (double& value : values) value = as_type(value, type);
  return values;
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

class PointwiseTest : public BasicTest {
 protected:
  struct Function {
    const char* name;
    OfOne first;
    Second second;
    double (*reference)(double);
    double low, high;
  };

  void expect(const Function& function, aclDataType type) {
    const Numbers x = of_type(spread(kRows * kColumns, function.low, function.high), type);
    const DeviceTensor self({kRows, kColumns}, x, type);
    const DeviceTensor out({kRows, kColumns}, Numbers(x.size()), type);
    ASSERT_EQ(run(function.first, function.second, self, out), ACL_SUCCESS) << last_error();
    Numbers expected;
    for (const double value : x) expected.push_back(function.reference(value));
    expect_near(out.values(), expected, tolerance_of(type));
  }

  /// Not a whole number of tiles, DataBlocks or cores.
  static constexpr std::int64_t kRows = 67, kColumns = 501;
};

#define DAVSIM_ENTRY(Name, low, high, ...)                         \
  Function {                                                       \
#Name, aclnn##Name##GetWorkspaceSize, aclnn##Name,             \
        +[](double x) -> double { return __VA_ARGS__; }, low, high \
  }

TEST_F(PointwiseTest, FunctionsOfOneTensor) {
  const Function functions[] = {
      DAVSIM_ENTRY(Abs, -5, 5, std::fabs(x)),
      DAVSIM_ENTRY(Acos, -1, 1, std::acos(x)),
      DAVSIM_ENTRY(Acosh, 1, 20, std::acosh(x)),
      DAVSIM_ENTRY(Asin, -1, 1, std::asin(x)),
      DAVSIM_ENTRY(Asinh, -20, 20, std::asinh(x)),
      DAVSIM_ENTRY(Atan, -20, 20, std::atan(x)),
      DAVSIM_ENTRY(Atanh, -0.99, 0.99, std::atanh(x)),
      DAVSIM_ENTRY(Ceil, -9, 9, std::ceil(x)),
      DAVSIM_ENTRY(Cos, -9, 9, std::cos(x)),
      DAVSIM_ENTRY(Cosh, -4, 4, std::cosh(x)),
      DAVSIM_ENTRY(Erf, -4, 4, std::erf(x)),
      DAVSIM_ENTRY(Erfc, -4, 4, std::erfc(x)),
      DAVSIM_ENTRY(Exp, -8, 8, std::exp(x)),
      DAVSIM_ENTRY(Exp2, -8, 8, std::exp2(x)),
      DAVSIM_ENTRY(Expm1, -0.5, 0.5, std::expm1(x)),
      DAVSIM_ENTRY(FastGelu, -6, 6, x * sigmoid(1.702 * x)),
      DAVSIM_ENTRY(Floor, -9, 9, std::floor(x)),
      DAVSIM_ENTRY(Frac, -9, 9, x - std::trunc(x)),
      DAVSIM_ENTRY(Gelu, -6, 6, 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)))),
      DAVSIM_ENTRY(Hardsigmoid, -6, 6, std::clamp(x / 6 + 0.5, 0.0, 1.0)),
      DAVSIM_ENTRY(Log, 0.01, 90, std::log(x)),
      DAVSIM_ENTRY(Log10, 0.01, 90, std::log10(x)),
      DAVSIM_ENTRY(Log1p, -0.5, 0.5, std::log1p(x)),
      DAVSIM_ENTRY(LogSigmoid, -30, 30, -std::log1p(std::exp(-x))),
      DAVSIM_ENTRY(Mish, -20, 20, x * std::tanh(std::log1p(std::exp(x)))),
      DAVSIM_ENTRY(Neg, -5, 5, -x),
      DAVSIM_ENTRY(Reciprocal, 0.1, 9, 1 / x),
      DAVSIM_ENTRY(Round, -9, 9, std::nearbyint(x)),
      DAVSIM_ENTRY(Rsqrt, 0.1, 90, 1 / std::sqrt(x)),
      DAVSIM_ENTRY(Selu, -6, 6,
                   1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x))),
      DAVSIM_ENTRY(Sigmoid, -9, 9, sigmoid(x)),
      DAVSIM_ENTRY(Sign, -2, 2, (x > 0) - (x < 0)),
      DAVSIM_ENTRY(Silu, -9, 9, x * sigmoid(x)),
      DAVSIM_ENTRY(Sin, -9, 9, std::sin(x)),
      DAVSIM_ENTRY(Sinh, -4, 4, std::sinh(x)),
      DAVSIM_ENTRY(Sqrt, 0, 90, std::sqrt(x)),
      DAVSIM_ENTRY(Tan, -1.2, 1.2, std::tan(x)),
      DAVSIM_ENTRY(Tanh, -4, 4, std::tanh(x)),
      DAVSIM_ENTRY(Trunc, -9, 9, std::trunc(x)),
  };
  for (const Function& function : functions) {
    for (const aclDataType type : kReals) {
      SCOPED_TRACE(std::string(function.name) + " of type " + std::to_string(type));
      expect(function, type);
    }
  }
}

TEST_F(PointwiseTest, SmallArgumentsKeepTheirDigits) {
  const Numbers x = {1e-7, -1e-7, 3e-5, -0.0, 0.0, 1e-3};
  const DeviceTensor self({6}, x), out({6}, Numbers(6));
  ASSERT_EQ(DAVSIM_CALL(Log1p, self, out), ACL_SUCCESS);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(out.values()[i], std::log1p(x[i]), 1e-6 * std::fabs(x[i])) << x[i];
  }
  ASSERT_EQ(DAVSIM_CALL(Expm1, self, out), ACL_SUCCESS);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(out.values()[i], std::expm1(x[i]), 1e-6 * std::fabs(x[i])) << x[i];
  }
}

TEST_F(PointwiseTest, LimitsOfActivations) {
  const Numbers x = {-200, -88, -20, 0, 20, 88, 200};
  const DeviceTensor self({7}, x), out({7}, Numbers(7));
  ASSERT_EQ(DAVSIM_CALL(Silu, self, out), ACL_SUCCESS);
  expect_near(out.values(), {0, 0, -20 * sigmoid(-20), 0, 20, 88, 200}, 1e-6);
  ASSERT_EQ(DAVSIM_CALL(LogSigmoid, self, out), ACL_SUCCESS);
  expect_near(out.values(), {-200, -88, -20, -std::log(2.0), 0, 0, 0}, 1e-6);
  ASSERT_EQ(DAVSIM_CALL(Mish, self, out), ACL_SUCCESS);
  expect_near(out.values(), {0, 0, 0, 0, 20, 88, 200}, 1e-6);
  const Scalar beta(2), threshold(20);
  ASSERT_EQ(DAVSIM_CALL(Softplus, self, beta, threshold, out), ACL_SUCCESS);
  expect_near(out.values(), {0, 0, 0, std::log(2.0) / 2, 20, 88, 200}, 1e-6);
}

TEST_F(PointwiseTest, FunctionsWithNumbers) {
  const Numbers x = spread(3000, -6, 6);
  const DeviceTensor self({3000}, x), out({3000}, Numbers(3000));
  const Scalar half(0.5), two(2), one(1), low(-1), high(1.5);
  const auto expect_all = [&](auto reference) {
    Numbers expected;
    for (const double value : x) expected.push_back(reference(value));
    expect_near(out.values(), expected, 4e-6);
  };
  ASSERT_EQ(DAVSIM_CALL(Elu, self, half, two, one, out), ACL_SUCCESS);
  expect_all([](double v) { return v > 0 ? 2 * v : 0.5 * 2 * std::expm1(v); });
  ASSERT_EQ(DAVSIM_CALL(Celu, self, two, out), ACL_SUCCESS);
  expect_all([](double v) { return v > 0 ? v : 2 * std::expm1(v / 2); });
  ASSERT_EQ(DAVSIM_CALL(LeakyRelu, self, half, out), ACL_SUCCESS);
  expect_all([](double v) { return v > 0 ? v : 0.5 * v; });
  ASSERT_EQ(DAVSIM_CALL(Hardtanh, self, low, high, out), ACL_SUCCESS);
  expect_all([](double v) { return std::clamp(v, -1.0, 1.5); });
  ASSERT_EQ(DAVSIM_CALL(Threshold, self, half, two, out), ACL_SUCCESS);
  expect_all([](double v) { return v > 0.5 ? v : 2; });
  ASSERT_EQ(DAVSIM_CALL(Swish, self, two, out), ACL_SUCCESS);
  expect_all([](double v) { return v * sigmoid(2 * v); });
  ASSERT_EQ(DAVSIM_CALL(Clamp, self, nullptr, high, out), ACL_SUCCESS);
  expect_all([](double v) { return std::min(v, 1.5); });
  ASSERT_EQ(DAVSIM_CALL(ClampMin, self, low, out), ACL_SUCCESS);
  expect_all([](double v) { return std::max(v, -1.0); });
  ASSERT_EQ(DAVSIM_CALL(GeluV2, self, 1, out), ACL_SUCCESS);
  expect_all([](double v) {
    return 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
  });
  ASSERT_EQ(DAVSIM_CALL(RoundDecimals, self, 2, out), ACL_SUCCESS);
  expect_all([](double v) { return std::nearbyint(v * 100) / 100; });
}

TEST_F(PointwiseTest, NumbersThatAreNone) {
  const DeviceTensor self({4}, {kNan, kInfinite, -kInfinite, 1});
  const DeviceTensor truth({4}, Numbers(4), ACL_BOOL), out({4}, Numbers(4));
  ASSERT_EQ(DAVSIM_CALL(IsFinite, self, truth), ACL_SUCCESS);
  EXPECT_EQ(truth.values(), (Numbers{0, 0, 0, 1}));
  ASSERT_EQ(DAVSIM_CALL(IsInf, self, truth), ACL_SUCCESS);
  EXPECT_EQ(truth.values(), (Numbers{0, 1, 1, 0}));
  ASSERT_EQ(DAVSIM_CALL(NanToNum, self, 7.0F, 8.0F, 9.0F, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), (Numbers{7, 8, 9, 1}));
}

TEST_F(PointwiseTest, AddsTensorsOfManyTiles) {
  for (const aclDataType type :
       {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_INT64, ACL_INT16, ACL_DOUBLE}) {
    constexpr std::int64_t kTall = 130, kWide = 1003;
    const Numbers x = of_type(spread(kTall * kWide, -50, 50), type);
    const Numbers y = of_type(spread(kTall * kWide, -9, 90), type);
    const DeviceTensor self({kTall, kWide}, x, type), other({kTall, kWide}, y, type);
    const DeviceTensor out({kTall, kWide}, Numbers(x.size()), type);
    const Scalar alpha(2);
    ASSERT_EQ(DAVSIM_CALL(Add, self, other, alpha, out), ACL_SUCCESS) << last_error();
    Numbers expected;
    for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(x[i] + 2 * y[i]);
    expect_near(out.values(), expected, tolerance_of(type));
  }
}

TEST_F(PointwiseTest, FunctionsOfTwoTensors) {
  struct Pair {
    const char* name;
    OfTwo first;
    Second second;
    double (*reference)(double, double);
  };
#define DAVSIM_PAIR(Name, ...)                                    \
  Pair {                                                          \
#Name, aclnn##Name##GetWorkspaceSize, aclnn##Name,            \
        +[](double x, double y) -> double { return __VA_ARGS__; } \
  }
  const auto remainder = [](double x, double y) { return x - std::floor(x / y) * y; };
  static_cast<void>(remainder);
  const Pair pairs[] = {
      DAVSIM_PAIR(Mul, x * y),
      DAVSIM_PAIR(Div, x / y),
      DAVSIM_PAIR(Maximum, std::max(x, y)),
      DAVSIM_PAIR(Minimum, std::min(x, y)),
      DAVSIM_PAIR(Atan2, std::atan2(x, y)),
      DAVSIM_PAIR(FmodTensor, std::fmod(x, y)),
      DAVSIM_PAIR(RemainderTensorTensor, x - std::floor(x / y) * y),
      DAVSIM_PAIR(FloorDivide, std::floor(x / y)),
  };
  // Quotients that are not within a rounding of a whole number.
  const Numbers x = {5, -5, 5, -5, 7.5, -7.5, 0, 1, 9, -9};
  const Numbers y = {3, 3, -3, -3, 2, 2, 4, -8, 2, 4};
  const auto count = static_cast<std::int64_t>(x.size());
  for (const Pair& pair : pairs) {
    for (const aclDataType type : kReals) {
      SCOPED_TRACE(std::string(pair.name) + " of type " + std::to_string(type));
      const DeviceTensor self({count}, x, type), other({count}, y, type);
      const DeviceTensor out({count}, Numbers(x.size()), type);
      ASSERT_EQ(run(pair.first, pair.second, self, other, out), ACL_SUCCESS) << last_error();
      Numbers expected;
      for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(pair.reference(x[i], y[i]));
      expect_near(out.values(), expected, tolerance_of(type));
    }
  }
}

TEST_F(PointwiseTest, PowersOfTensorsAndNumbers) {
  const Numbers x = {0.5, 1, 2, 3.5, 9, 0.1}, y = {2, 5, -1, 0.5, 0, 3};
  const DeviceTensor self({6}, x), exponent({6}, y), out({6}, Numbers(6));
  Numbers both, squares, of_two;
  for (std::size_t i = 0; i < 6; ++i) {
    both.push_back(std::pow(x[i], y[i]));
    squares.push_back(x[i] * x[i]);
    of_two.push_back(std::pow(2.0, y[i]));
  }
  const Scalar two(2);
  ASSERT_EQ(DAVSIM_CALL(PowTensorTensor, self, exponent, out), ACL_SUCCESS);
  expect_near(out.values(), both, 1e-5);
  ASSERT_EQ(DAVSIM_CALL(PowTensorScalar, self, two, out), ACL_SUCCESS);
  expect_near(out.values(), squares, 1e-5);
  ASSERT_EQ(DAVSIM_CALL(PowScalarTensor, two, exponent, out), ACL_SUCCESS);
  expect_near(out.values(), of_two, 1e-5);
}

TEST_F(PointwiseTest, WholeNumbersAreExact) {
  constexpr double kGreat = 2147483647.0;
  const Numbers x = {kGreat, -kGreat, 16777217, -7, 7, 0},
                y = {kGreat - 1, kGreat, 16777216, 2, -2, 5};
  const DeviceTensor self({6}, x, ACL_INT32), other({6}, y, ACL_INT32);
  const DeviceTensor truth({6}, Numbers(6), ACL_BOOL), out({6}, Numbers(6), ACL_INT32);
  ASSERT_EQ(DAVSIM_CALL(GtTensor, self, other, truth), ACL_SUCCESS);
  EXPECT_EQ(truth.values(), (Numbers{1, 0, 1, 0, 1, 0}));
  ASSERT_EQ(DAVSIM_CALL(LeTensor, self, other, truth), ACL_SUCCESS);
  EXPECT_EQ(truth.values(), (Numbers{0, 1, 0, 1, 0, 1}));
  ASSERT_EQ(DAVSIM_CALL(EqTensor, self, self, truth), ACL_SUCCESS);
  EXPECT_EQ(truth.values(), (Numbers{1, 1, 1, 1, 1, 1}));
  ASSERT_EQ(DAVSIM_CALL(Maximum, self, other, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), (Numbers{kGreat, kGreat, 16777217, 2, 7, 5}));
  ASSERT_EQ(DAVSIM_CALL(FloorDivide, self, other, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), (Numbers{1, -1, 1, -4, -4, 0}));
  ASSERT_EQ(DAVSIM_CALL(RemainderTensorTensor, self, other, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), (Numbers{1, 0, 1, 1, -1, 0}));
  ASSERT_EQ(DAVSIM_CALL(DivMod, self, other, 1, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), (Numbers{1, -1, 1, -3, -3, 0}));
  ASSERT_EQ(DAVSIM_CALL(BitwiseAndTensor, self, other, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), (Numbers{kGreat - 1, 1, 16777216, 0, 6, 0}));
  ASSERT_EQ(DAVSIM_CALL(BitwiseNot, self, out), ACL_SUCCESS);
  EXPECT_EQ(out.values()[3], 6);
}

TEST_F(PointwiseTest, SmallWholeNumbersWrap) {
  const DeviceTensor self({3}, {100, -100, 5}, ACL_INT8), other({3}, {100, -100, -9}, ACL_INT8);
  const DeviceTensor out({3}, Numbers(3), ACL_INT8);
  const Scalar one(1);
  ASSERT_EQ(DAVSIM_CALL(Add, self, other, one, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), (Numbers{-56, 56, -4}));
}

TEST_F(PointwiseTest, OperandsAreRepeatedAndMayHaveStrides) {
  // self is the transpose of a 3 x 4 matrix, other a row of three.
  Numbers storage(12);
  for (std::size_t i = 0; i < 12; ++i) storage[i] = static_cast<double>(i);
  const DeviceTensor self({4, 3}, {1, 4}, 0, storage);
  const DeviceTensor other({3}, {10, 20, 30});
  const DeviceTensor out({4, 3}, {1, 4}, 0, Numbers(12, -1));
  const Scalar one(1);
  ASSERT_EQ(DAVSIM_CALL(Add, self, other, one, out), ACL_SUCCESS) << last_error();
  Numbers expected;
  for (double row = 0; row < 4; ++row) {
    for (double column = 0; column < 3; ++column)
      expected.push_back(row + 4 * column + 10 * (column + 1));
  }
  EXPECT_EQ(out.values(), expected);
}

TEST_F(PointwiseTest, NumbersChangeTheTypeOnlyOfOtherKinds) {
  const DeviceTensor whole({2}, {3, 4}, ACL_INT32), real({2}, {3, 4}, ACL_FLOAT16);
  const DeviceTensor out({2}, Numbers(2)), half({2}, Numbers(2), ACL_FLOAT16);
  const Scalar quarter(0.25, ACL_DOUBLE), one(1);
  ASSERT_EQ(DAVSIM_CALL(Adds, whole, quarter, one, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), (Numbers{3.25, 4.25}));
  ASSERT_EQ(DAVSIM_CALL(Muls, real, quarter, half), ACL_SUCCESS);
  EXPECT_EQ(half.values(), (Numbers{0.75, 1}));
}

TEST_F(PointwiseTest, InPlaceAndOfThree) {
  const DeviceTensor self({3}, {1, 2, 3}), x({3}, {4, 5, 6}), y({3}, {2, 2, 4});
  const Scalar half(0.5);
  ASSERT_EQ(DAVSIM_CALL(InplaceAddcmul, self, x, y, half), ACL_SUCCESS);
  EXPECT_EQ(self.values(), (Numbers{5, 7, 15}));
  ASSERT_EQ(DAVSIM_CALL(InplaceAddcdiv, self, x, y, half), ACL_SUCCESS);
  EXPECT_EQ(self.values(), (Numbers{6, 8.25, 15.75}));
  ASSERT_EQ(DAVSIM_CALL(InplaceLerps, self, x, half), ACL_SUCCESS);
  EXPECT_EQ(self.values(), (Numbers{5, 6.625, 10.875}));
  ASSERT_EQ(DAVSIM_CALL(InplaceFloor, self), ACL_SUCCESS);
  EXPECT_EQ(self.values(), (Numbers{5, 6, 10}));
}

TEST_F(PointwiseTest, ChoosesByTruth) {
  const DeviceTensor truth({3}, {1, 0, 1}, ACL_BOOL), self({3}, {1, 2, 3}), other({1}, {9});
  const DeviceTensor out({3}, Numbers(3));
  ASSERT_EQ(DAVSIM_CALL(SWhere, truth, self, other, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), (Numbers{1, 9, 3}));
  const Scalar value(-4);
  ASSERT_EQ(DAVSIM_CALL(InplaceMaskedFillScalar, out, truth, value), ACL_SUCCESS);
  EXPECT_EQ(out.values(), (Numbers{-4, 9, -4}));
  const DeviceTensor whole({3}, {1, 2, 3}, ACL_INT32);
  ASSERT_EQ(DAVSIM_CALL(InplaceMaskedFillScalar, whole, truth, value), ACL_SUCCESS);
  EXPECT_EQ(whole.values(), (Numbers{-4, 2, -4}));
}

TEST_F(PointwiseTest, LogicalFunctions) {
  const DeviceTensor x({4}, {0, 0, 2, -1}), y({4}, {0, 3, 0, 5});
  const DeviceTensor a({4}, {0, 0, 1, 1}, ACL_BOOL), b({4}, {0, 1, 0, 1}, ACL_BOOL);
  const DeviceTensor out({4}, Numbers(4), ACL_BOOL);
  ASSERT_EQ(DAVSIM_CALL(LogicalAnd, x, y, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), (Numbers{0, 0, 0, 1}));
  ASSERT_EQ(DAVSIM_CALL(LogicalXor, a, b, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), (Numbers{0, 1, 1, 0}));
  ASSERT_EQ(DAVSIM_CALL(BitwiseOrTensor, a, b, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), (Numbers{0, 1, 1, 1}));
  ASSERT_EQ(DAVSIM_CALL(LogicalNot, x, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), (Numbers{1, 1, 0, 0}));
  const DeviceTensor one({1}, {0}, ACL_BOOL);
  ASSERT_EQ(DAVSIM_CALL(Equal, x, x, one), ACL_SUCCESS);
  EXPECT_EQ(one.values(), (Numbers{1}));
  ASSERT_EQ(DAVSIM_CALL(Equal, x, y, one), ACL_SUCCESS);
  EXPECT_EQ(one.values(), (Numbers{0}));
}

TEST_F(PointwiseTest, CastsBetweenAllTypes) {
  const aclDataType types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                               ACL_UINT8, ACL_INT16,   ACL_INT32, ACL_INT64};
  const Numbers x = {0, 1, 2.75, 100, 63};
  for (const aclDataType from : types) {
    for (const aclDataType to : types) {
      const DeviceTensor self({5}, of_type(x, from), from), out({5}, Numbers(5), to);
      ASSERT_EQ(DAVSIM_CALL(Cast, self, to, out), ACL_SUCCESS) << last_error();
      EXPECT_EQ(out.values(), of_type(of_type(x, from), to)) << from << " to " << to;
    }
  }
  const DeviceTensor self({2}, {0, 2.5}), out({2}, Numbers(2), ACL_BOOL);
  ASSERT_EQ(DAVSIM_CALL(Cast, self, ACL_BOOL, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), (Numbers{0, 1}));
}

TEST_F(PointwiseTest, EmptyTensorsAreNoError) {
  const DeviceTensor self({0, 3}, {}), out({0, 3}, {});
  EXPECT_EQ(DAVSIM_CALL(Exp, self, out), ACL_SUCCESS);
}

TEST_F(PointwiseTest, RefusesWhatBreaksARule) {
  const DeviceTensor self({2, 3}, Numbers(6)), other({4}, Numbers(4)), out({2, 3}, Numbers(6));
  const DeviceTensor whole({2, 3}, Numbers(6), ACL_INT32), small({3}, Numbers(3));
  const Scalar one(1);
  EXPECT_EQ(DAVSIM_CALL(Exp, nullptr, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(Exp, self, nullptr), 161001);
  EXPECT_EQ(DAVSIM_CALL(Add, self, self, nullptr, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(Add, self, other, one, out), 161002);
  EXPECT_NE(last_error().find("[2,3]"), std::string::npos);
  EXPECT_EQ(DAVSIM_CALL(Exp, self, small), 161002);
  EXPECT_EQ(DAVSIM_CALL(Exp, self, whole), 161002);
  EXPECT_EQ(DAVSIM_CALL(BitwiseNot, self, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(DivMod, self, self, 3, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Cast, self, ACL_FLOAT16, out), 161002);
}

TEST_F(PointwiseTest, RefusesTensorsThatCannotBe) {
  const DeviceTensor self({2}, {1, 2}, ACL_INT32), truth({2}, {1, 0}, ACL_BOOL);
  const DeviceTensor out({2}, Numbers(2), ACL_INT32);
  const Scalar half(0.5);
  EXPECT_EQ(DAVSIM_CALL(BitwiseAndTensor, truth, nullptr, truth), 161001);
  EXPECT_EQ(DAVSIM_CALL(BitwiseAndScalar, truth, half, out), 161002);
  // Without an address: the first phase cannot know whether one follows.
  aclTensor* const nowhere =
      aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
  EXPECT_EQ(DAVSIM_CALL(InplaceFloor, nowhere), 161001);
  const std::int64_t huge[] = {std::int64_t{1} << 40, 1 << 20}, many[] = {std::int64_t{1} << 37};
  const std::int64_t rows[] = {1 << 20, 1}, none[] = {0};
  aclTensor* const beyond =
      aclCreateTensor(huge, 2, ACL_FLOAT, rows, 0, ACL_FORMAT_ND, huge, 2, self.address());
  EXPECT_EQ(DAVSIM_CALL(InplaceFloor, beyond), 161002);
  aclTensor* const shared =
      aclCreateTensor(many, 1, ACL_FLOAT, none, 0, ACL_FORMAT_ND, many, 1, self.address());
  EXPECT_EQ(DAVSIM_CALL(InplaceFloor, shared), 161002);
  for (aclTensor* const tensor : {nowhere, beyond, shared}) aclDestroyTensor(tensor);
}

TEST_F(PointwiseTest, TakesTimeOnTheDevice) {
  const DeviceTensor self({1024, 1024}, Numbers(1 << 20)), out({1024, 1024}, Numbers(1 << 20));
  aclrtEvent start = nullptr, end = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&start), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEvent(&end), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(start, stream_), ACL_SUCCESS);
  ASSERT_EQ(DAVSIM_CALL(Exp, self, out), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(end, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  float ms = 0;
  ASSERT_EQ(aclrtEventElapsedTime(&ms, start, end), ACL_SUCCESS);
  // 8 MiB over HBM at 1.6 TB/s take 5 us.
  EXPECT_GT(ms, 0.004);
  EXPECT_LT(ms, 0.03);
}

TEST_F(PointwiseTest, NanDiffersFromEverythingAndIsTrue) {
  for (const aclDataType type : kReals) {
    const DeviceTensor x({3}, {kNan, 1, 0}, type), y({3}, {kNan, kNan, 0}, type);
    const DeviceTensor truth({3}, Numbers(3), ACL_BOOL);
    ASSERT_EQ(DAVSIM_CALL(NeTensor, x, x, truth), ACL_SUCCESS) << last_error();
    EXPECT_EQ(truth.values(), (Numbers{1, 0, 0}));
    ASSERT_EQ(DAVSIM_CALL(NeTensor, x, y, truth), ACL_SUCCESS) << last_error();
    EXPECT_EQ(truth.values(), (Numbers{1, 1, 0}));
    ASSERT_EQ(DAVSIM_CALL(NeScalar, x, Scalar(1), truth), ACL_SUCCESS) << last_error();
    EXPECT_EQ(truth.values(), (Numbers{1, 0, 1}));
    ASSERT_EQ(DAVSIM_CALL(LogicalAnd, x, x, truth), ACL_SUCCESS) << last_error();
    EXPECT_EQ(truth.values(), (Numbers{1, 1, 0}));
  }
}

TEST_F(PointwiseTest, ASecondPhaseRunsTheExecutorOfAnotherFunction) {
  const DeviceTensor x({3}, {1, 2, 3}), y({3}, {5, 7, 9}), out({3}, Numbers(3));
  const Scalar one(1);
  ASSERT_EQ(run(aclnnRsubGetWorkspaceSize, aclnnRsubs, x, y, one, out), ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(out.values(), (Numbers{4, 5, 6}));
}

TEST_F(PointwiseTest, SignsSumsAndOuterProducts) {
  const DeviceTensor x({3}, {-1, 0, 2}), y({2, 3}, {1, 2, 3, 4, 5, 6}, ACL_FLOAT16);
  const DeviceTensor truth({3}, Numbers(3), ACL_BOOL), sum({2, 3}, Numbers(6));
  ASSERT_EQ(DAVSIM_CALL(Signbit, x, truth), ACL_SUCCESS) << last_error();
  EXPECT_EQ(truth.values(), (Numbers{1, 0, 0}));
  EXPECT_EQ(DAVSIM_CALL(Signbit, x, sum), 161002);
  const aclTensor* const all[] = {x, y, y};
  const TensorList list(all, 3);
  ASSERT_EQ(DAVSIM_CALL(Sum, list, sum), ACL_SUCCESS) << last_error();
  EXPECT_EQ(sum.values(), (Numbers{1, 4, 8, 7, 10, 14}));
  EXPECT_EQ(DAVSIM_CALL(Sum, list, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(Sum, nullptr, sum), 161001);
  const DeviceTensor v({2}, {10, 20}), product({2, 3}, Numbers(6));
  ASSERT_EQ(DAVSIM_CALL(Ger, v, x, product), ACL_SUCCESS) << last_error();
  EXPECT_EQ(product.values(), (Numbers{-10, 0, 20, -20, 0, 40}));
  EXPECT_EQ(DAVSIM_CALL(Ger, y, x, product), 161002);
}

}  // namespace
}  // namespace davsim::test::pointwise
