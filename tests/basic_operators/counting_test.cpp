// Counts of elements, places among them and running extremes, against plain loops.
#include <algorithm>
#include <cmath>
#include <limits>

#include "aclnnop/aclnn_kthvalue.h"
#include "aclnnop/aclnn_logspace.h"
#include "lists/counting.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::counting {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class CountingTest : public BasicTest {};

/// The sizes that the second phase has given to the view.
Sizes view_of(const aclTensor* tensor) {
  std::int64_t* sizes = nullptr;
  std::uint64_t rank = 0;
  EXPECT_EQ(aclGetViewShape(tensor, &sizes, &rank), ACL_SUCCESS);
  Sizes view(sizes, sizes + rank);
  delete[] sizes;
  return view;
}

Numbers first(const Numbers& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

TEST_F(CountingTest, RunningExtremes) {
  for (const aclDataType type : {ACL_FLOAT, ACL_BF16, ACL_DOUBLE, ACL_INT64, ACL_UINT8}) {
    const DeviceTensor x({2, 4}, {1, 5, 3, 5, 2, 0, 2, 1}, type), out({2, 4}, Numbers(8), type);
    const DeviceTensor places({2, 4}, Numbers(8), ACL_INT64);
    ASSERT_EQ(DAVSIM_CALL(Cummax, x, -1, out, places), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({1, 5, 5, 5, 2, 2, 2, 2}));
    EXPECT_EQ(places.values(), Numbers({0, 1, 1, 3, 0, 0, 2, 2}));
    ASSERT_EQ(DAVSIM_CALL(Cummin, x, 0, out, places), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({1, 5, 3, 5, 1, 0, 2, 1}));
    EXPECT_EQ(places.values(), Numbers({0, 0, 0, 0, 0, 1, 1, 1}));
  }
}

TEST_F(CountingTest, RunningExtremesWithNan) {
  const DeviceTensor x({5}, {1, kNan, 3, kNan, 0}), out({5}, Numbers(5));
  const DeviceTensor places({5}, Numbers(5), ACL_INT32), none({0}, {});
  ASSERT_EQ(DAVSIM_CALL(Cummax, x, 0, out, places), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {1, kNan, kNan, kNan, kNan}, 0);
  EXPECT_EQ(places.values(), Numbers({0, 1, 1, 3, 3}));
  ASSERT_EQ(DAVSIM_CALL(Cummin, x, 0, out, places), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {1, kNan, kNan, kNan, kNan}, 0);
  EXPECT_EQ(DAVSIM_CALL(Cummax, x, 1, out, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(Cummax, x, 0, places, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(Cummax, x, 0, out, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Cummax, x, 0, out, nullptr), 161001);
}

TEST_F(CountingTest, CountsNumbers) {
  for (const aclDataType type : {ACL_INT32, ACL_INT64, ACL_FLOAT, ACL_DOUBLE}) {
    const DeviceTensor x({5}, {1, 4, 1, 0, 4}, ACL_INT8), out({6}, Numbers(6, 9), type);
    const DeviceTensor weights({5}, {1, 2, 3, 4, 5}), few({4}, Numbers(4), type);
    ASSERT_EQ(DAVSIM_CALL(Bincount, x, nullptr, 6, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({1, 2, 0, 0, 2, 0}));
    ASSERT_EQ(DAVSIM_CALL(Bincount, x, weights, 0, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({4, 4, 0, 0, 7, 0}));
    EXPECT_EQ(DAVSIM_CALL(Bincount, x, nullptr, 7, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(Bincount, x, few, 0, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(Bincount, weights, nullptr, 0, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(Bincount, x, nullptr, 0, nullptr), 161001);
  }
  const DeviceTensor none({0}, {}, ACL_INT32), out({2}, {9, 9});
  ASSERT_EQ(DAVSIM_CALL(Bincount, none, nullptr, 2, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers(2));
  const DeviceTensor far({2}, {1, 2}, ACL_INT32);
  EXPECT_EQ(DAVSIM_CALL(Bincount, far, nullptr, 0, out), 507018);
}

TEST_F(CountingTest, CountsRanges) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT64}) {
    const DeviceTensor x({2, 4}, {0, 1, 2, 3, 4, 5, 8, 9}, type), out({4}, Numbers(4), type);
    ASSERT_EQ(DAVSIM_CALL(Histc, x, 4, Scalar(1), Scalar(8), out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({2, 2, 1, 1}));
    ASSERT_EQ(DAVSIM_CALL(Histc, x, 4, Scalar(0), Scalar(0), out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({3, 2, 1, 2})) << "from 0 to 9";
    EXPECT_EQ(DAVSIM_CALL(Histc, x, 4, Scalar(2), Scalar(1), out), 161002);
    EXPECT_EQ(DAVSIM_CALL(Histc, x, 3, Scalar(0), Scalar(1), out), 161002);
    EXPECT_EQ(DAVSIM_CALL(Histc, x, 4, nullptr, Scalar(1), out), 161001);
  }
  const DeviceTensor x({4}, {kNan, kInfinity, 2, 2}), out({2}, Numbers(2)), none({0}, {});
  ASSERT_EQ(DAVSIM_CALL(Histc, x, 2, Scalar(0), Scalar(0), out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({0, 2})) << "from 1 to 3";
  ASSERT_EQ(DAVSIM_CALL(Histc, none, 2, Scalar(0), Scalar(0), out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({0, 0}));
}

TEST_F(CountingTest, Searches) {
  const DeviceTensor rows({2, 4}, {1, 3, 3, 5, 2, 4, 6, 8}, ACL_INT32);
  const DeviceTensor wanted({2, 3}, {3, 0, 6, 8, 8.5, kNan}), out({2, 3}, Numbers(6), ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(SearchSorted, rows, wanted, false, false, nullptr, out), ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(out.values(), Numbers({1, 0, 4, 3, 4, 4}));
  ASSERT_EQ(DAVSIM_CALL(SearchSorted, rows, wanted, false, true, nullptr, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), Numbers({3, 0, 4, 4, 4, 4}));
  const DeviceTensor mixed({4}, {5, 1, 3, 3}), order({4}, {1, 2, 3, 0}, ACL_INT64);
  const DeviceTensor narrow({2, 3}, Numbers(6), ACL_INT32), one({1}, {9}, ACL_INT32);
  ASSERT_EQ(DAVSIM_CALL(SearchSorted, mixed, wanted, true, false, order, narrow), ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(narrow.values(), Numbers({1, 0, 4, 4, 4, 4}));
  ASSERT_EQ(DAVSIM_CALL(SearchSorteds, mixed, Scalar(3), true, true, order, one), ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(one.values(), Numbers({3}));
  const DeviceTensor far({4}, {1, 2, 3, 4}, ACL_INT64), other({3, 4}, Numbers(12));
  EXPECT_EQ(DAVSIM_CALL(SearchSorted, mixed, wanted, false, false, order, narrow), 161002);
  EXPECT_EQ(DAVSIM_CALL(SearchSorted, other, wanted, true, false, nullptr, narrow), 161002);
  EXPECT_EQ(DAVSIM_CALL(SearchSorteds, rows, Scalar(3), true, true, nullptr, one), 161002);
  EXPECT_EQ(DAVSIM_CALL(SearchSorteds, mixed, nullptr, true, true, nullptr, one), 161001);
  EXPECT_EQ(DAVSIM_CALL(SearchSorted, mixed, wanted, true, false, far, narrow), 507018);
}

TEST_F(CountingTest, EachElementOnce) {
  for (const aclDataType type : {ACL_FLOAT, ACL_BF16, ACL_DOUBLE, ACL_INT64, ACL_UINT8}) {
    const DeviceTensor x({2, 3}, {3, 1, 3, 3, 2, 1}, type), values({6}, Numbers(6), type);
    const DeviceTensor places({2, 3}, Numbers(6), ACL_INT64), counts({6}, Numbers(6), ACL_INT64);
    ASSERT_EQ(DAVSIM_CALL(Unique2, x, false, true, true, values, places, counts), ACL_SUCCESS)
        << last_error();
    EXPECT_EQ(view_of(values), Sizes({3}));
    EXPECT_EQ(view_of(counts), Sizes({3}));
    EXPECT_EQ(first(values.values(), 3), Numbers({1, 2, 3}));
    EXPECT_EQ(first(counts.values(), 3), Numbers({2, 1, 3}));
    EXPECT_EQ(places.values(), Numbers({2, 0, 2, 2, 1, 0}));
  }
}

TEST_F(CountingTest, RunsOnce) {
  const DeviceTensor x({6}, {3, 3, 1, 3, kNan, kNan}), values({6}, Numbers(6));
  const DeviceTensor places({6}, Numbers(6), ACL_INT64), counts({6}, Numbers(6), ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(UniqueConsecutive, x, true, true, 1000, values, places, counts),
            ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(view_of(values), Sizes({5}));
  expect_near(first(values.values(), 5), {3, 1, 3, kNan, kNan}, 0);
  EXPECT_EQ(first(counts.values(), 5), Numbers({2, 1, 1, 1, 1}));
  EXPECT_EQ(places.values(), Numbers({0, 0, 1, 2, 3, 4}));
}

TEST_F(CountingTest, RefusesUnique) {
  const DeviceTensor x({4}, {2, 1, 2, 2}), values({4}, Numbers(4)), few({3}, Numbers(3));
  const DeviceTensor places({4}, Numbers(4), ACL_INT64), none({0}, {}, ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(Unique, x, true, false, values, none), ACL_SUCCESS) << last_error();
  EXPECT_EQ(view_of(values), Sizes({2}));
  EXPECT_EQ(first(values.values(), 2), Numbers({1, 2}));
  const DeviceTensor all({4}, Numbers(4));
  EXPECT_EQ(DAVSIM_CALL(Unique, x, true, true, all, none), 161002);
  EXPECT_EQ(DAVSIM_CALL(Unique, x, true, true, few, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(Unique, x, true, true, all, all), 161002);
  EXPECT_EQ(DAVSIM_CALL(Unique, x, true, true, all, nullptr), 161001);
  EXPECT_EQ(DAVSIM_CALL(Unique2, x, true, true, true, all, places, none), 161002);
  EXPECT_EQ(DAVSIM_CALL(UniqueConsecutive, x, true, true, 0, all, places, places), 161002);
  const DeviceTensor nothing({0}, {}), no_values({0}, {});
  ASSERT_EQ(DAVSIM_CALL(Unique, nothing, true, true, no_values, none), ACL_SUCCESS);
}

TEST_F(CountingTest, ElementsInOrder) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_INT64}) {
    const DeviceTensor x({2, 3}, {3, 1, 2, 4, 6, 5}, type), rows({2}, Numbers(2), type);
    const DeviceTensor columns({1, 3}, Numbers(3), type), at({2}, Numbers(2), ACL_INT64);
    const DeviceTensor of_columns({1, 3}, Numbers(3), ACL_INT64);
    ASSERT_EQ(DAVSIM_CALL(Kthvalue, x, 2, -1, false, rows, at), ACL_SUCCESS) << last_error();
    EXPECT_EQ(rows.values(), Numbers({2, 5}));
    EXPECT_EQ(at.values(), Numbers({2, 2}));
    ASSERT_EQ(DAVSIM_CALL(Kthvalue, x, 2, 0, true, columns, of_columns), ACL_SUCCESS);
    EXPECT_EQ(columns.values(), Numbers({4, 6, 5}));
    EXPECT_EQ(of_columns.values(), Numbers({1, 1, 1}));
    EXPECT_EQ(DAVSIM_CALL(Kthvalue, x, 0, -1, false, rows, at), 161002);
    EXPECT_EQ(DAVSIM_CALL(Kthvalue, x, 4, -1, false, rows, at), 161002);
    EXPECT_EQ(DAVSIM_CALL(Kthvalue, x, 1, -1, true, rows, at), 161002);
    EXPECT_EQ(DAVSIM_CALL(Kthvalue, x, 1, -1, false, rows, nullptr), 161001);
  }
}

TEST_F(CountingTest, PowersOfSteps) {
  const DeviceTensor out({4}, Numbers(4)), whole({3}, Numbers(3), ACL_INT32);
  ASSERT_EQ(DAVSIM_CALL(LogSpace, Scalar(-1), Scalar(2), 4, 10.0, out), ACL_SUCCESS)
      << last_error();
  expect_near(out.values(), {0.1, 1, 10, 100}, 1e-7);
  ASSERT_EQ(DAVSIM_CALL(LogSpace, Scalar(0), Scalar(4), 3, 2.0, whole), ACL_SUCCESS);
  EXPECT_EQ(whole.values(), Numbers({1, 4, 16}));
  EXPECT_EQ(DAVSIM_CALL(LogSpace, Scalar(0), Scalar(4), 4, 2.0, whole), 161002);
  EXPECT_EQ(DAVSIM_CALL(LogSpace, Scalar(0), Scalar(4), 3, 0.0, whole), 161002);
  EXPECT_EQ(DAVSIM_CALL(LogSpace, nullptr, Scalar(4), 3, 2.0, whole), 161001);
}

}  // namespace
}  // namespace davsim::test::counting
