// Sorted rows and their first elements against stable sorts of the host.
#include <cmath>
#include <limits>
#include <numeric>

#include "aclnnop/aclnn_argsort.h"
#include "aclnnop/aclnn_median.h"
#include "aclnnop/aclnn_sort.h"
#include "aclnnop/aclnn_topk.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::sorting {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Case {
  Sizes sizes;
  std::int64_t dim;
};

/// Short rows, a dimension in front of others, rows as long as UB has room for, and longer ones.
const Case kCases[] = {
    {{300, 5}, 1}, {{41, 100}, 0}, {{7, 1000}, -1}, {{2, 4096}, 1}, {{3, 9001}, 1}};

std::size_t count(const Sizes& sizes) {
  std::size_t elements = 1;
  for (const std::int64_t size : sizes) elements *= static_cast<std::size_t>(size);
  return elements;
}

Numbers order_of(const Numbers& row, bool descending) {
  const auto less = [](double a, double b) { return !std::isnan(a) && (std::isnan(b) || a < b); };
  Numbers order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](double a, double b) {
    const double left = row[static_cast<std::size_t>(a)], right = row[static_cast<std::size_t>(b)];
    return descending ? less(right, left) : less(left, right);
  });
  return order;
}

class SortingTest : public BasicTest {
 protected:
  /// The rows of values and places against the first of the sorted rows of x.
  void compare(const Case& at, const Numbers& x, std::int64_t kept, bool descending,
               const Numbers& values, const Numbers& places) {
    const auto dim = static_cast<std::size_t>(at.dim < 0 ? at.dim + std::ssize(at.sizes) : at.dim);
    Sizes sizes = at.sizes;
    sizes[dim] = kept;
    const auto rows = rows_of(x, at.sizes, {dim});
    const auto found = rows_of(values, sizes, {dim}), found_places = rows_of(places, sizes, {dim});
    for (std::size_t row = 0; row < rows.size(); ++row) {
      Numbers order = order_of(rows[row], descending), sorted;
      order.resize(static_cast<std::size_t>(kept));
      for (const double place : order) sorted.push_back(rows[row][static_cast<std::size_t>(place)]);
      expect_near(found_places[row], order, 0);
      expect_near(found[row], sorted, 0);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_F(SortingTest, SortsRows) {
  for (const aclDataType type :
       {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_INT64, ACL_UINT8}) {
    for (const Case& at : kCases) {
      for (const bool descending : {true, false}) {
        SCOPED_TRACE("type " + std::to_string(type) + ", size " + std::to_string(at.sizes[1]));
        // Many elements are equal in short types.
        const Numbers x = of_type(spread(count(at.sizes), 0, 90), type);
        const DeviceTensor self(at.sizes, x, type), values(at.sizes, Numbers(x.size()), type);
        const DeviceTensor places(at.sizes, Numbers(x.size()), ACL_INT64);
        ASSERT_EQ(DAVSIM_CALL(Sort, self, true, at.dim, descending, values, places), ACL_SUCCESS)
            << last_error();
        compare(at, x, at.sizes[at.dim < 0 ? 1 : static_cast<std::size_t>(at.dim)], descending,
                values.values(), places.values());
      }
    }
  }
}

TEST_F(SortingTest, FindsTheFirst) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32}) {
    for (const Case& at : kCases) {
      for (const bool largest : {true, false}) {
        for (const std::int64_t k : {1, 4, 100, 1500}) {
          const auto dim = static_cast<std::size_t>(at.dim < 0 ? 1 : at.dim);
          if (k > at.sizes[dim]) continue;
          SCOPED_TRACE("type " + std::to_string(type) + ", size " + std::to_string(at.sizes[1]) +
                       ", k " + std::to_string(k));
          const Numbers x = of_type(spread(count(at.sizes), -50, 50), type);
          Sizes sizes = at.sizes;
          sizes[dim] = k;
          const DeviceTensor self(at.sizes, x, type), values(sizes, Numbers(count(sizes)), type);
          const DeviceTensor places(sizes, Numbers(count(sizes)), ACL_INT64);
          ASSERT_EQ(DAVSIM_CALL(Topk, self, k, at.dim, largest, true, values, places), ACL_SUCCESS)
              << last_error();
          compare(at, x, k, largest, values.values(), places.values());
        }
      }
    }
  }
}

TEST_F(SortingTest, KeepsInfinitiesAndNan) {
  const Numbers x = {1, kNan, -kInfinity, kInfinity, 0, -kInfinity, kNan, kInfinity};
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}) {
    for (const bool descending : {true, false}) {
      const DeviceTensor self({1, 8}, x, type), values({1, 8}, Numbers(8), type);
      const DeviceTensor places({1, 8}, Numbers(8), ACL_INT32);
      ASSERT_EQ(DAVSIM_CALL(Sort, self, false, 1, descending, values, places), ACL_SUCCESS)
          << last_error();
      compare({{1, 8}, 1}, x, 8, descending, values.values(), places.values());
      ASSERT_EQ(DAVSIM_CALL(Argsort, self, 1, descending, places), ACL_SUCCESS) << last_error();
      compare({{1, 8}, 1}, x, 8, descending, values.values(), places.values());
    }
  }
}

TEST_F(SortingTest, Medians) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_INT32}) {
    for (const Case& at : kCases) {
      const auto dim = static_cast<std::size_t>(at.dim < 0 ? 1 : at.dim);
      SCOPED_TRACE("type " + std::to_string(type) + ", size " + std::to_string(at.sizes[1]));
      Numbers x = of_type(spread(count(at.sizes), -90, 90), type);
      if (type != ACL_INT32) x[3] = kNan;
      const auto rows = rows_of(x, at.sizes, {dim});
      Numbers expected, expected_places;
      for (const Numbers& row : rows) {
        const Numbers order = order_of(row, false);
        std::size_t middle = (row.size() - 1) / 2;
        for (std::size_t i = 0; i < row.size(); ++i) {
          if (!std::isnan(row[static_cast<std::size_t>(order[i])])) continue;
          middle = i;
          break;
        }
        expected_places.push_back(order[middle]);
        expected.push_back(row[static_cast<std::size_t>(order[middle])]);
      }
      Sizes sizes = at.sizes;
      sizes[dim] = 1;
      const DeviceTensor self(at.sizes, x, type), values(sizes, Numbers(rows.size()), type);
      const DeviceTensor places(sizes, Numbers(rows.size()), ACL_INT64), one({1}, {0}, type);
      ASSERT_EQ(DAVSIM_CALL(MedianDim, self, at.dim, true, values, places), ACL_SUCCESS)
          << last_error();
      expect_near(values.values(), expected, 0);
      expect_near(places.values(), expected_places, 0);
      ASSERT_EQ(DAVSIM_CALL(Median, self, one), ACL_SUCCESS) << last_error();
      const Numbers order = order_of(x, false);
      const double median = x[static_cast<std::size_t>(order[(x.size() - 1) / 2])];
      expect_near(one.values(), {type == ACL_INT32 ? median : kNan}, 0);
    }
  }
}

TEST_F(SortingTest, OfNoElements) {
  const DeviceTensor self({0, 4}, {}), places({0, 4}, {}, ACL_INT64), full({2, 4}, Numbers(8));
  const DeviceTensor none({2, 0}, {}), no_places({2, 0}, {}, ACL_INT64);
  EXPECT_EQ(DAVSIM_CALL(Sort, self, false, 1, true, self, places), ACL_SUCCESS) << last_error();
  EXPECT_EQ(DAVSIM_CALL(Topk, full, 0, 1, true, true, none, no_places), ACL_SUCCESS);
}

TEST_F(SortingTest, OfNoDimensions) {
  const DeviceTensor self({}, {3}), values({}, {9}), places({}, {9}, ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(Sort, self, true, -1, true, values, places), ACL_SUCCESS) << last_error();
  expect_near(values.values(), {3}, 0);
  expect_near(places.values(), {0}, 0);
  ASSERT_EQ(DAVSIM_CALL(Topk, self, 1, 0, false, true, values, places), ACL_SUCCESS)
      << last_error();
  expect_near(values.values(), {3}, 0);
  ASSERT_EQ(DAVSIM_CALL(MedianDim, self, 0, false, values, places), ACL_SUCCESS) << last_error();
  expect_near(values.values(), {3}, 0);
}

TEST_F(SortingTest, OfStridedTensors) {
  const Numbers storage = spread(60 * 40, -2, 2);
  const DeviceTensor self({20, 30}, {1, 40}, 7, storage);
  const DeviceTensor values({20, 30}, {60, 2}, 1, Numbers(1300)),
      places({20, 30}, {1, 20}, 0, Numbers(600), ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(Sort, self, true, 0, false, values, places), ACL_SUCCESS) << last_error();
  compare({{20, 30}, 0}, self.values(), 20, false, values.values(), places.values());
}

TEST_F(SortingTest, RulesOfArguments) {
  const DeviceTensor self({3, 4}, Numbers(12)), values({3, 4}, Numbers(12));
  const DeviceTensor half({3, 4}, Numbers(12), ACL_FLOAT16), two({3, 2}, Numbers(6));
  const DeviceTensor places({3, 4}, Numbers(12), ACL_INT64),
      two_places({3, 2}, Numbers(6), ACL_INT64);
  aclTensor* const null = nullptr;
  EXPECT_EQ(DAVSIM_CALL(Sort, null, false, 1, true, values, places), 161001);
  EXPECT_EQ(DAVSIM_CALL(Sort, self, false, 1, true, values, null), 161001);
  EXPECT_EQ(DAVSIM_CALL(Sort, self, false, 2, true, values, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(Sort, self, false, 1, true, half, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(Sort, self, false, 1, true, values, values), 161002);
  EXPECT_EQ(DAVSIM_CALL(Topk, self, 5, 1, true, true, values, places), 161002);
  EXPECT_NE(last_error().find("k is from 0 to 4, not 5"), std::string::npos) << last_error();
  EXPECT_EQ(DAVSIM_CALL(Topk, self, 2, 1, true, true, values, two_places), 161002);
  EXPECT_EQ(DAVSIM_CALL(Topk, self, 2, 1, true, true, two, two_places), ACL_SUCCESS);
  EXPECT_EQ(DAVSIM_CALL(Median, self, two), 161002);
  EXPECT_EQ(DAVSIM_CALL(MedianDim, self, 1, false, two, two_places), 161002);
  EXPECT_EQ(DAVSIM_CALL(MedianDim, self, 1, false, two, null), 161002);
}

}  // namespace
}  // namespace davsim::test::sorting
