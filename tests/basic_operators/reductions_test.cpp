// Reductions against plain sums, products and comparisons of the host.
#include <cmath>
#include <limits>
#include <numeric>

#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_aminmax.h"
#include "aclnnop/aclnn_aminmax_all.h"
#include "aclnnop/aclnn_aminmax_dim.h"
#include "aclnnop/aclnn_any.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_max.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_min.h"
#include "aclnnop/aclnn_min_dim.h"
#include "aclnnop/aclnn_prod.h"
#include "aclnnop/aclnn_reduce_nansum.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "tests/basic_operators/reduction_cases.hpp"

namespace davsim::test::reductions {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double place(const Numbers& row, bool least) {
  const auto better = [least](double a, double b) {
    return !std::isnan(a) && (std::isnan(b) || (least ? b < a : a < b));
  };
  return static_cast<double>(std::max_element(row.begin(), row.end(), better) - row.begin());
}

class ReductionsTest : public ReductionCases {};

TEST_F(ReductionsTest, Sums) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_INT64}) {
    const double most = type == ACL_INT32 || type == ACL_INT64 ? 1000 : 1;
    check(
        type, -most, most, 4 * rounding_of(type),
        [&](auto& self, auto& dims, bool keep, auto& out) {
          return DAVSIM_CALL(ReduceSum, self, dims, keep, type, out);
        },
        sum);
  }
}

TEST_F(ReductionsTest, Means) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    check(
        type, -1, 3, rounding_of(type),
        [&](auto& self, auto& dims, bool keep, auto& out) {
          return DAVSIM_CALL(Mean, self, dims, keep, type, out);
        },
        [](const Numbers& row) { return sum(row) / static_cast<double>(row.size()); });
  }
}

TEST_F(ReductionsTest, GreatestAndLeast) {
  for (const aclDataType type :
       {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_INT8, ACL_INT64, ACL_DOUBLE}) {
    check(
        type, -100, 100, 0,
        [&](auto& self, auto& dims, bool keep, auto& out) {
          return DAVSIM_CALL(Amax, self, dims, keep, out);
        },
        [](const Numbers& row) { return *std::max_element(row.begin(), row.end()); });
    check(
        type, -100, 100, 0,
        [&](auto& self, auto& dims, bool keep, auto& out) {
          return DAVSIM_CALL(Amin, self, dims, keep, out);
        },
        [](const Numbers& row) { return *std::min_element(row.begin(), row.end()); });
  }
}

TEST_F(ReductionsTest, BothTheLeastAndTheGreatest) {
  for (const aclDataType type : {ACL_FLOAT, ACL_BF16, ACL_INT32, ACL_INT64}) {
    const DeviceTensor x({2, 2, 2}, {3, -1, 4, 1, -5, 9, 2, -6}, type);
    const DeviceTensor least({2}, Numbers(2), type), most({2}, Numbers(2), type);
    ASSERT_EQ(DAVSIM_CALL(Aminmax, x, Ints({0, 2}), false, least, most), ACL_SUCCESS)
        << last_error();
    EXPECT_EQ(least.values(), Numbers({-5, -6}));
    EXPECT_EQ(most.values(), Numbers({9, 4}));
    const DeviceTensor low({2, 1, 2}, Numbers(4), type), high({2, 1, 2}, Numbers(4), type);
    ASSERT_EQ(DAVSIM_CALL(AminmaxDim, x, -2, true, low, high), ACL_SUCCESS) << last_error();
    EXPECT_EQ(low.values(), Numbers({3, -1, -5, -6}));
    EXPECT_EQ(high.values(), Numbers({4, 1, 2, 9}));
    const DeviceTensor one({}, {0}, type), other({1}, {0}, type);
    ASSERT_EQ(DAVSIM_CALL(AminmaxAll, x, one, other), ACL_SUCCESS) << last_error();
    EXPECT_EQ(one.values(), Numbers({-6}));
    EXPECT_EQ(other.values(), Numbers({9}));
    EXPECT_EQ(DAVSIM_CALL(AminmaxAll, x, one, low), 161002);
    EXPECT_EQ(DAVSIM_CALL(Aminmax, x, Ints({0, 2}), true, least, most), 161002);
    EXPECT_EQ(DAVSIM_CALL(AminmaxDim, x, 0, true, nullptr, high), 161001);
  }
}

TEST_F(ReductionsTest, OfAllElements) {
  const Numbers x = spread(60000, -7, 7);
  const DeviceTensor self({300, 200}, x), out({}, {0});
  ASSERT_EQ(DAVSIM_CALL(Max, self, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {as_type(*std::max_element(x.begin(), x.end()), ACL_FLOAT)}, 0);
  ASSERT_EQ(DAVSIM_CALL(Min, self, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {as_type(*std::min_element(x.begin(), x.end()), ACL_FLOAT)}, 0);

  const Numbers near_one = spread(60000, 0.999, 1.001);
  const DeviceTensor factors({300, 200}, near_one);
  ASSERT_EQ(DAVSIM_CALL(Prod, factors, ACL_FLOAT, out), ACL_SUCCESS) << last_error();
  double product = 1;
  for (const double factor : near_one) product *= as_type(factor, ACL_FLOAT);
  expect_near(out.values(), {product}, 1e-4);
}

TEST_F(ReductionsTest, ProductsAlongADimension) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT64}) {
    const Numbers x = of_type(spread(37 * 9 * 11, type == ACL_FLOAT ? 0.5 : 1, 2.9), type);
    const DeviceTensor self({37, 9, 11}, x, type), out({37, 1, 11}, Numbers(37 * 11), type);
    ASSERT_EQ(DAVSIM_CALL(ProdDim, self, -2, true, type, out), ACL_SUCCESS) << last_error();
    const auto product = [](const Numbers& row) {
      return std::accumulate(row.begin(), row.end(), 1.0, std::multiplies<>());
    };
    expect_near(out.values(), each(test::rows_of(x, {37, 9, 11}, {1}), product), rounding_of(type));
  }
}

TEST_F(ReductionsTest, WholeSumsAreExact) {
  // 32 bits wrap around; 64 are those of the host. int32 can be added in int64.
  const Numbers x(100000, 30000);
  const DeviceTensor self({100000}, x, ACL_INT32);
  const DeviceTensor narrow({}, {0}, ACL_INT32), wide({}, {0}, ACL_INT64);
  const Ints none{};
  ASSERT_EQ(DAVSIM_CALL(ReduceSum, self, none, false, ACL_INT32, narrow), ACL_SUCCESS);
  ASSERT_EQ(DAVSIM_CALL(ReduceSum, self, none, false, ACL_INT64, wide), ACL_SUCCESS);
  EXPECT_EQ(narrow.values()[0], static_cast<std::int32_t>(3000000000U));
  EXPECT_EQ(wide.values()[0], 3e9);
}

TEST_F(ReductionsTest, PlacesOfTheGreatestAndLeast) {
  for (const aclDataType type :
       {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_INT64, ACL_DOUBLE}) {
    for (const Case& at : cases()) {
      if (at.dims.size() > 1) continue;
      SCOPED_TRACE(named(at, type));
      // Few numbers, so that many elements are equal, of which the first one counts.
      Numbers x = of_type(spread(count(at.sizes), -60, 60), type);
      if (type == ACL_FLOAT) {
        for (double& value : x) value = std::round(value);
      }
      const DeviceTensor self(at.sizes, x, type);
      const DeviceTensor out(at.out, Numbers(count(at.out)), type);
      const DeviceTensor places(at.out, Numbers(count(at.out)), ACL_INT64);
      const std::vector<Numbers> rows = rows_of(at, x);
      for (const bool least : {false, true}) {
        const auto found = [&](const Numbers& row) { return place(row, least); };
        const auto value = [&](const Numbers& row) {
          return row[static_cast<std::size_t>(place(row, least))];
        };
        ASSERT_EQ(least ? DAVSIM_CALL(MinDim, self, at.dims[0], at.keep, out, places)
                        : DAVSIM_CALL(MaxDim, self, at.dims[0], at.keep, out, places),
                  ACL_SUCCESS)
            << last_error();
        expect_near(out.values(), each(rows, value), 0);
        expect_near(places.values(), each(rows, found), 0);
      }
    }
  }
}

TEST_F(ReductionsTest, NanIsTheGreatestAndTheLeast) {
  const Numbers x = {1, kNan, kInfinity, 5, -kInfinity, 3, 2, -0.0, 0.0};
  const DeviceTensor self({3, 3}, x);
  const DeviceTensor out({3}, Numbers(3)), places({3}, Numbers(3), ACL_INT32);
  ASSERT_EQ(DAVSIM_CALL(ArgMax, self, 1, false, places), ACL_SUCCESS) << last_error();
  expect_near(places.values(), {1, 0, 0}, 0);
  ASSERT_EQ(DAVSIM_CALL(ArgMin, self, 1, false, places), ACL_SUCCESS) << last_error();
  expect_near(places.values(), {1, 1, 1}, 0);
  ASSERT_EQ(DAVSIM_CALL(MinDim, self, 1, false, out, places), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {kNan, -kInfinity, 0}, 0);
  const Ints last{1};
  ASSERT_EQ(DAVSIM_CALL(Amax, self, last, false, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {kNan, 5, 2}, 0);
}

TEST_F(ReductionsTest, PlacesInLongRows) {
  // A row has all of a tile: NaN, and zeros of both signs.
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16}) {
    Numbers x(3 * 6000, -1.0);
    x[2000] = -0.0, x[4000] = 0.0;
    x[6000 + 100] = kInfinity, x[6000 + 3000] = kNan, x[6000 + 5000] = kNan;
    for (std::size_t i = 12000; i < 18000; ++i) x[i] = 7;
    x[12000 + 5999] = -0.0, x[12000 + 70] = 0.0;
    const DeviceTensor self({3, 6000}, x, type), places({3}, Numbers(3), ACL_INT32);
    const DeviceTensor out({3}, Numbers(3), type);
    ASSERT_EQ(DAVSIM_CALL(MaxDim, self, 1, false, out, places), ACL_SUCCESS) << last_error();
    expect_near(places.values(), {2000, 3000, 0}, 0);
    expect_near(out.values(), {0, kNan, 7}, 0);
    ASSERT_EQ(DAVSIM_CALL(MinDim, self, 1, false, out, places), ACL_SUCCESS) << last_error();
    expect_near(places.values(), {0, 3000, 70}, 0);
    expect_near(out.values(), {-1, kNan, 0}, 0);
  }
}

TEST_F(ReductionsTest, OfStridedTensors) {
  // Every second column of a matrix that lies transposed.
  const Numbers storage = spread(40 * 30, -5, 5);
  const DeviceTensor self({30, 20}, {1, 60}, 3, storage);
  const DeviceTensor out({30, 1}, {2, 1}, 0, Numbers(60));
  const Ints last{-1};
  ASSERT_EQ(DAVSIM_CALL(ReduceSum, self, last, true, ACL_FLOAT, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), each(test::rows_of(self.values(), {30, 20}, {1}), sum), 1e-5);
}

TEST_F(ReductionsTest, TruthOfAllAndAny) {
  for (const aclDataType type : {ACL_BOOL, ACL_FLOAT, ACL_BF16, ACL_INT32, ACL_INT64, ACL_UINT8}) {
    for (const Case& at : cases()) {
      SCOPED_TRACE(named(at, type));
      Numbers x = spread(count(at.sizes), 0, 1);
      // About half of the rows have a 0.
      const double part = 0.5 / static_cast<double>(x.size() / count(at.out));
      for (double& value : x) value = value < part ? 0 : 1;
      const DeviceTensor self(at.sizes, x, type);
      const DeviceTensor out(at.out, Numbers(count(at.out)), ACL_BOOL);
      const Ints dims(at.dims);
      ASSERT_EQ(DAVSIM_CALL(All, self, dims, at.keep, out), ACL_SUCCESS) << last_error();
      const auto all = [](const Numbers& row) {
        return std::find(row.begin(), row.end(), 0.0) == row.end() ? 1.0 : 0.0;
      };
      expect_near(out.values(), each(rows_of(at, x), all), 0);
      for (double& value : x) value = 1 - value;
      const DeviceTensor inverted(at.sizes, x, type);
      ASSERT_EQ(DAVSIM_CALL(Any, inverted, dims, at.keep, out), ACL_SUCCESS) << last_error();
      const auto any = [](const Numbers& row) { return sum(row) > 0 ? 1.0 : 0.0; };
      expect_near(out.values(), each(rows_of(at, x), any), 0);
    }
  }
}

TEST_F(ReductionsTest, NanIsTrue) {
  const DeviceTensor self({2, 2}, {kNan, 1, kNan, 0}), out({2}, Numbers(2), ACL_BOOL);
  const Ints last{1};
  ASSERT_EQ(DAVSIM_CALL(All, self, last, false, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), (Numbers{1, 0}));
  ASSERT_EQ(DAVSIM_CALL(Any, self, last, false, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), (Numbers{1, 1}));
}

TEST_F(ReductionsTest, SumsWithoutNan) {
  Numbers x = spread(5 * 300, -1, 1);
  for (std::size_t i = 0; i < x.size(); i += 7) x[i] = kNan;
  const DeviceTensor self({5, 300}, x), out({5}, Numbers(5));
  const Ints last{1};
  ASSERT_EQ(DAVSIM_CALL(ReduceNansum, self, last, false, ACL_FLOAT, out), ACL_SUCCESS);
  const auto total = [](const Numbers& row) {
    double numbers = 0;
    for (const double value : row) numbers += std::isnan(value) ? 0 : value;
    return numbers;
  };
  expect_near(out.values(), each(test::rows_of(x, {5, 300}, {1}), total), 1e-5);
}

TEST_F(ReductionsTest, MeansOfNoDimensions) {
  const DeviceTensor self({2, 2}, {1, 2, 3, 6}), same({2, 2}, Numbers(4)), one({}, {0});
  const Ints none{};
  ASSERT_EQ(DAVSIM_CALL(MeanV2, self, none, false, true, same), ACL_SUCCESS) << last_error();
  expect_near(same.values(), {1, 2, 3, 6}, 0);
  ASSERT_EQ(DAVSIM_CALL(MeanV2, self, none, false, false, one), ACL_SUCCESS) << last_error();
  expect_near(one.values(), {3}, 0);
}

TEST_F(ReductionsTest, OfNoElements) {
  const DeviceTensor self({3, 0}, {}), out({3}, {9, 9, 9}), truth({3}, {9, 9, 9}, ACL_BOOL);
  const Ints last{1}, first{0};
  ASSERT_EQ(DAVSIM_CALL(ReduceSum, self, last, false, ACL_FLOAT, out), ACL_SUCCESS);
  expect_near(out.values(), {0, 0, 0}, 0);
  ASSERT_EQ(DAVSIM_CALL(ProdDim, self, 1, false, ACL_FLOAT, out), ACL_SUCCESS);
  expect_near(out.values(), {1, 1, 1}, 0);
  ASSERT_EQ(DAVSIM_CALL(Mean, self, last, false, ACL_FLOAT, out), ACL_SUCCESS);
  EXPECT_TRUE(std::isnan(out.values()[0]));
  ASSERT_EQ(DAVSIM_CALL(All, self, last, false, truth), ACL_SUCCESS);
  expect_near(truth.values(), {1, 1, 1}, 0);
  ASSERT_EQ(DAVSIM_CALL(Any, self, last, false, truth), ACL_SUCCESS);
  expect_near(truth.values(), {0, 0, 0}, 0);
  EXPECT_EQ(DAVSIM_CALL(Amax, self, last, false, out), 161002);
  const DeviceTensor nothing({0}, {});
  EXPECT_EQ(DAVSIM_CALL(Amax, self, first, false, nothing), ACL_SUCCESS) << last_error();
}

TEST_F(ReductionsTest, RulesOfArguments) {
  const DeviceTensor self({3, 4}, Numbers(12)), out({3}, Numbers(3)),
      half({3}, Numbers(3), ACL_FLOAT16);
  const DeviceTensor places({3}, Numbers(3), ACL_INT64);
  const Ints last{1}, beyond{2}, twice{1, -1};
  const aclTensor* const nothing = nullptr;
  aclTensor* const no_out = nullptr;
  EXPECT_EQ(DAVSIM_CALL(ReduceSum, nothing, last, false, ACL_FLOAT, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(ReduceSum, self, nullptr, false, ACL_FLOAT, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(ReduceSum, self, last, false, ACL_FLOAT, no_out), 161001);
  EXPECT_EQ(DAVSIM_CALL(ReduceSum, self, beyond, false, ACL_FLOAT, out), 161002);
  EXPECT_NE(last_error().find("dims is from -2 to 1, not 2"), std::string::npos) << last_error();
  EXPECT_EQ(DAVSIM_CALL(ReduceSum, self, twice, false, ACL_FLOAT, out), 161002);
  EXPECT_NE(last_error().find("dims has the dimension -1 twice"), std::string::npos);
  EXPECT_EQ(DAVSIM_CALL(ReduceSum, self, last, true, ACL_FLOAT, out), 161002);
  EXPECT_NE(last_error().find("out has the shape [3,1], not [3]"), std::string::npos)
      << last_error();
  EXPECT_EQ(DAVSIM_CALL(ReduceSum, self, last, false, ACL_FLOAT, half), 161002);
  EXPECT_EQ(DAVSIM_CALL(Max, self, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(ArgMax, self, 2, false, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(ArgMax, self, 1, false, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(All, self, last, false, out), 161002);
}

}  // namespace
}  // namespace davsim::test::reductions
