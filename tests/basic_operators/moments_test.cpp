// Norms, variances and logarithms of sums against those of the host.
#include <cmath>
#include <limits>

#include "aclnnop/aclnn_logsumexp.h"
#include "aclnnop/aclnn_norm.h"
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_std_mean_correction.h"
#include "aclnnop/aclnn_var.h"
#include "aclnnop/aclnn_var_correction.h"
#include "aclnnop/aclnn_var_mean.h"
#include "tests/basic_operators/reduction_cases.hpp"

namespace davsim::test::moments {
namespace {

using reductions::sum;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class MomentsTest : public reductions::ReductionCases {};

TEST_F(MomentsTest, Norms) {
  for (const double p : {0.0, 1.0, 2.0, 3.0, 0.5, kInfinity, -kInfinity}) {
    const Scalar order(p);
    const auto norm = [p](const Numbers& row) {
      if (std::isinf(p)) {
        double best = std::fabs(row[0]);
        for (const double x : row) {
          best = p > 0 ? std::max(best, std::fabs(x)) : std::min(best, std::fabs(x));
        }
        return best;
      }
      double total = 0;
      for (const double x : row) total += p == 0 ? x != 0 : std::pow(std::fabs(x), p);
      return p == 0 ? total : std::pow(total, 1 / p);
    };
    check(
        ACL_FLOAT, -2, 2, 3e-5,
        [&](auto& self, auto& dims, bool keep, auto& out) {
          return DAVSIM_CALL(Norm, self, order, dims, keep, out);
        },
        norm);
  }
}

double variance(const Numbers& row, double correction) {
  const auto size = static_cast<double>(row.size());
  const double mean = sum(row) / size;
  double total = 0;
  for (const double x : row) total += (x - mean) * (x - mean);
  return total / std::max(size - correction, 0.0);
}

TEST_F(MomentsTest, Variances) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}) {
    for (const bool unbiased : {true, false}) {
      check(
          type, 9, 11, type == ACL_FLOAT ? 2e-5 : rounding_of(type),
          [&](auto& self, auto& dims, bool keep, auto& out) {
            return DAVSIM_CALL(Var, self, dims, unbiased, keep, out);
          },
          [&](const Numbers& row) { return variance(row, unbiased ? 1 : 0); });
    }
    check(
        type, 9, 11, type == ACL_FLOAT ? 2e-5 : rounding_of(type),
        [&](auto& self, auto& dims, bool keep, auto& out) {
          return DAVSIM_CALL(Std, self, dims, 1, keep, out);
        },
        [](const Numbers& row) { return std::sqrt(variance(row, 1)); });
  }
}

TEST_F(MomentsTest, VariancesOfAllDimensions) {
  const Numbers x = spread(60, -5, 5);
  const DeviceTensor self({6, 10}, x), out({}, {0});
  aclIntArray* const all = nullptr;
  ASSERT_EQ(DAVSIM_CALL(Var, self, all, true, false, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {variance(x, 1)}, 1e-5);
  ASSERT_EQ(DAVSIM_CALL(Std, self, all, 0, false, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {std::sqrt(variance(x, 0))}, 1e-5);
}

TEST_F(MomentsTest, VariancesAndMeans) {
  for (const aclDataType type : {ACL_FLOAT, ACL_BF16, ACL_DOUBLE}) {
    const Numbers x = of_type(spread(5 * 70, 2, 4), type);
    const DeviceTensor self({5, 70}, x, type), spreads({5, 1}, Numbers(5), type);
    const DeviceTensor means({5, 1}, Numbers(5), type), wrong({5}, Numbers(5), type);
    const auto rows = test::rows_of(x, {5, 70}, {1});
    const double near = type == ACL_FLOAT ? 2e-5 : rounding_of(type);
    const Ints last{1};
    ASSERT_EQ(DAVSIM_CALL(VarMean, self, last, 3, true, spreads, means), ACL_SUCCESS)
        << last_error();
    expect_near(spreads.values(),
                reductions::each(rows, [](const Numbers& row) { return variance(row, 3); }), near);
    expect_near(means.values(),
                reductions::each(rows, [](const Numbers& row) { return sum(row) / 70; }), near);
    ASSERT_EQ(DAVSIM_CALL(VarCorrection, self, last, 0, true, spreads), ACL_SUCCESS);
    expect_near(spreads.values(),
                reductions::each(rows, [](const Numbers& row) { return variance(row, 0); }), near);
    ASSERT_EQ(DAVSIM_CALL(StdMeanCorrection, self, last, 1, true, spreads, means), ACL_SUCCESS);
    expect_near(
        spreads.values(),
        reductions::each(rows, [](const Numbers& row) { return std::sqrt(variance(row, 1)); }),
        near);
    EXPECT_EQ(DAVSIM_CALL(VarMean, self, last, 1, true, spreads, wrong), 161002);
    EXPECT_EQ(DAVSIM_CALL(VarMean, self, last, 1, true, spreads, nullptr), 161001);
  }
  const DeviceTensor nothing({2, 0}, {}), variances({2}, Numbers(2)), means({2}, Numbers(2));
  ASSERT_EQ(DAVSIM_CALL(VarMean, nothing, Ints{1}, 1, false, variances, means), ACL_SUCCESS)
      << last_error();
  expect_near(means.values(), {std::nan(""), std::nan("")}, 0);
}

TEST_F(MomentsTest, LogarithmsOfSums) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}) {
    check(
        type, 90, 100, rounding_of(type),
        [&](auto& self, auto& dims, bool keep, auto& out) {
          return DAVSIM_CALL(LogSumExp, self, dims, keep, out);
        },
        [](const Numbers& row) {
          double total = 0;
          for (const double x : row) total += std::exp(x - 100);
          return std::log(total) + 100;
        });
  }
  const DeviceTensor self({2, 2}, {-kInfinity, -kInfinity, 1, kInfinity}), out({2}, {0, 0});
  const Ints last{1};
  ASSERT_EQ(DAVSIM_CALL(LogSumExp, self, last, false, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {-kInfinity, kInfinity}, 0);
}

}  // namespace
}  // namespace davsim::test::moments
