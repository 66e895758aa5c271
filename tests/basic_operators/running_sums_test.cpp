// Running sums and products against those of the host.
#include <cmath>

#include "aclnnop/aclnn_cumprod.h"
#include "aclnnop/aclnn_cumsum.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::running_sums {
namespace {

struct Case {
  Sizes sizes;
  std::int64_t dim;
};

/// Many short rows, a dimension in front of others, few long rows, one that all cores share, and
/// more lanes than a core takes at a time.
const Case kCases[] = {{{700, 5}, 1}, {{50, 90}, 0},   {{3, 40, 70}, -2}, {{4, 5003}, 1},
                       {{30011}, 0},  {{3, 90000}, 0}, {{6, 1}, 1}};

std::size_t count(const Sizes& sizes) {
  std::size_t elements = 1;
  for (const std::int64_t size : sizes) elements *= static_cast<std::size_t>(size);
  return elements;
}

Numbers cumulated(const Numbers& row, bool product, bool exclusive, bool reverse) {
  Numbers values(row.size());
  double total = product ? 1 : 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t at = reverse ? row.size() - 1 - i : i;
    const double next = product ? total * row[at] : total + row[at];
    values[at] = exclusive ? total : next;
    total = next;
  }
  return values;
}

class RunningSumsTest : public BasicTest {
 protected:
  void compare(const Case& at, const Numbers& out, const Numbers& x, bool product, bool exclusive,
               bool reverse, double tolerance) {
    const auto dim = static_cast<std::size_t>(at.dim < 0 ? at.dim + std::ssize(at.sizes) : at.dim);
    const auto found = rows_of(out, at.sizes, {dim}), rows = rows_of(x, at.sizes, {dim});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      expect_near(found[i], cumulated(rows[i], product, exclusive, reverse), tolerance);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_F(RunningSumsTest, OfEachType) {
  for (const aclDataType type :
       {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_INT64, ACL_DOUBLE}) {
    for (const Case& at : kCases) {
      SCOPED_TRACE("type " + std::to_string(type) + ", size " + std::to_string(at.sizes[0]));
      const Numbers x = of_type(spread(count(at.sizes), -1, 2), type);
      const DeviceTensor self(at.sizes, x, type), out(at.sizes, Numbers(x.size()), type);
      ASSERT_EQ(DAVSIM_CALL(Cumsum, self, at.dim, type, out), ACL_SUCCESS) << last_error();
      compare(at, out.values(), x, false, false, false, 5 * rounding_of(type));
    }
  }
}

TEST_F(RunningSumsTest, WithoutTheElementAndFromTheEnd) {
  for (const aclDataType type : {ACL_FLOAT, ACL_INT32, ACL_INT64}) {
    for (const Case& at : kCases) {
      for (const auto& [exclusive, reverse] :
           {std::pair{true, false}, {false, true}, {true, true}}) {
        SCOPED_TRACE("type " + std::to_string(type) + ", size " + std::to_string(at.sizes[0]));
        const Numbers x = of_type(spread(count(at.sizes), -3, 4), type);
        const DeviceTensor self(at.sizes, x, type), out(at.sizes, Numbers(x.size()), type);
        ASSERT_EQ(DAVSIM_CALL(CumsumV2, self, at.dim, exclusive, reverse, out), ACL_SUCCESS)
            << last_error();
        compare(at, out.values(), x, false, exclusive, reverse, 1e-5);
      }
    }
  }
}

TEST_F(RunningSumsTest, Products) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}) {
    for (const Case& at : kCases) {
      SCOPED_TRACE("type " + std::to_string(type) + ", size " + std::to_string(at.sizes[0]));
      const Numbers x = of_type(spread(count(at.sizes), 0.995, 1.005), type);
      const DeviceTensor self(at.sizes, x, type), out(at.sizes, Numbers(x.size()), type);
      const Scalar dim(static_cast<double>(at.dim), ACL_INT64);
      ASSERT_EQ(DAVSIM_CALL(Cumprod, self, dim, type, out), ACL_SUCCESS) << last_error();
      const double tolerance = type == ACL_FLOAT ? 1e-4 : rounding_of(type);
      compare(at, out.values(), x, true, false, false, tolerance);
      ASSERT_EQ(DAVSIM_CALL(InplaceCumprod, self, dim), ACL_SUCCESS) << last_error();
      compare(at, self.values(), x, true, false, false, tolerance);
    }
  }
}

TEST_F(RunningSumsTest, OfAnotherType) {
  const DeviceTensor self({2, 3}, {1, 1, 0, 1, 0, 1}, ACL_BOOL), out({2, 3}, Numbers(6), ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(Cumsum, self, 1, ACL_INT64, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {1, 2, 2, 1, 1, 2}, 0);
}

TEST_F(RunningSumsTest, OfNoDimensions) {
  const DeviceTensor self({}, {3}), out({}, {9});
  ASSERT_EQ(DAVSIM_CALL(Cumsum, self, 0, ACL_FLOAT, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {3}, 0);
}

TEST_F(RunningSumsTest, OfStridedTensors) {
  const DeviceTensor self({20, 30}, {1, 40}, 7, spread(60 * 40, -2, 2));
  const DeviceTensor out({20, 30}, {60, 2}, 1, Numbers(1300));
  ASSERT_EQ(DAVSIM_CALL(Cumsum, self, 1, ACL_FLOAT, out), ACL_SUCCESS) << last_error();
  compare({{20, 30}, 1}, out.values(), self.values(), false, false, false, 1e-5);
}

TEST_F(RunningSumsTest, RulesOfArguments) {
  const DeviceTensor self({3, 4}, Numbers(12)), out({3, 4}, Numbers(12)), other({4}, Numbers(4));
  const DeviceTensor nothing({0, 4}, {});
  aclTensor* const null = nullptr;
  aclScalar* const no_dim = nullptr;
  EXPECT_EQ(DAVSIM_CALL(Cumsum, null, 1, ACL_FLOAT, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(Cumsum, self, 1, ACL_FLOAT, null), 161001);
  EXPECT_EQ(DAVSIM_CALL(Cumprod, self, no_dim, ACL_FLOAT, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(Cumsum, self, 2, ACL_FLOAT, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Cumsum, self, 1, ACL_FLOAT16, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Cumsum, self, 0, ACL_FLOAT, other), 161002);
  EXPECT_EQ(DAVSIM_CALL(Cumsum, nothing, 1, ACL_FLOAT, nothing), ACL_SUCCESS);
}

}  // namespace
}  // namespace davsim::test::running_sums
