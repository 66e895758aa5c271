// Functions that the host computes, against what they are the inverse or the derivative of.
#include <cmath>
#include <limits>

#include "lists/special.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::special {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class SpecialTest : public BasicTest {};

TEST_F(SpecialTest, InverseOfTheErrorFunction) {
  const Numbers y = spread(500, -5, 5);
  Numbers x;
  for (const double number : y) x.push_back(std::erf(number));
  const DeviceTensor in({500}, x, ACL_DOUBLE), out({500}, Numbers(500), ACL_DOUBLE);
  ASSERT_EQ(DAVSIM_CALL(Erfinv, in, out), ACL_SUCCESS) << last_error();
  const Numbers found = out.values();
  for (std::size_t i = 0; i < x.size(); ++i) {
    // As far as the rounding of the error function lets it be known.
    const double slope = 2 / std::sqrt(std::acos(-1.0)) * std::exp(-y[i] * y[i]);
    ASSERT_NEAR(found[i], y[i], 1e-13 + 2.3e-16 / slope) << y[i];
  }
  const DeviceTensor ends({6}, {-1, 1, 0, 1.5, kNan, 0.5});
  ASSERT_EQ(DAVSIM_CALL(InplaceErfinv, ends), ACL_SUCCESS) << last_error();
  expect_near(ends.values(), {-kInfinity, kInfinity, 0, kNan, kNan, 0.4769362762044699}, 1e-7);
}

TEST_F(SpecialTest, GammaFunctions) {
  const Numbers x = {0.5, 1, 2, 10, 100, -0.5, -1.5, 1e-3, 0, -2, kInfinity};
  const DeviceTensor in({11}, x, ACL_DOUBLE), out({11}, Numbers(11), ACL_DOUBLE);
  ASSERT_EQ(DAVSIM_CALL(Digamma, in, out), ACL_SUCCESS) << last_error();
  constexpr double kEuler = 0.57721566490153286;
  const double half = -kEuler - 2 * std::log(2.0);
  double ten = -kEuler;
  for (int i = 1; i < 10; ++i) ten += 1.0 / i;
  double hundred = -kEuler;
  for (int i = 1; i < 100; ++i) hundred += 1.0 / i;
  expect_near(out.values(),
              {half, -kEuler, 1 - kEuler, ten, hundred, half + 2, half + 2 + 2 / 3.0,
               -1000.5755719318103, -kInfinity, kNan, kInfinity},
              1e-12);
  ASSERT_EQ(DAVSIM_CALL(Lgamma, in, out), ACL_SUCCESS) << last_error();
  Numbers expected;
  for (const double number : x) expected.push_back(std::lgamma(number));
  expect_near(out.values(), expected, 1e-14);
}

TEST_F(SpecialTest, TypesAndRefusals) {
  const DeviceTensor whole({3}, {1, 2, 5}, ACL_INT32), half({3}, Numbers(3), ACL_FLOAT16);
  const DeviceTensor other({2}, Numbers(2));
  ASSERT_EQ(DAVSIM_CALL(Lgamma, whole, half), ACL_SUCCESS) << last_error();
  expect_near(half.values(), {0, 0, std::log(24.0)}, 1e-3);
  EXPECT_EQ(DAVSIM_CALL(Lgamma, half, whole), 161002);
  EXPECT_EQ(DAVSIM_CALL(InplaceErfinv, whole), 161002);
  EXPECT_EQ(DAVSIM_CALL(Digamma, half, other), 161002);
  EXPECT_EQ(DAVSIM_CALL(Digamma, half, nullptr), 161001);
}

}  // namespace
}  // namespace davsim::test::special
