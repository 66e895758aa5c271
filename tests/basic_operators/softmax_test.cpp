// Softmax along rows of all lengths against exponentials of the host.
#include <cmath>
#include <limits>

#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::softmax {
namespace {

struct Case {
  Sizes sizes;
  std::int64_t dim;
};

/// Rows shorter than a DataBlock, many in a tile, one in a tile, longer than a tile, and those that
/// do not lie along the last dimension.
const Case kCases[] = {{{700, 3}, 1},   {{130, 1003}, -1}, {{3, 5000}, 1}, {{2, 20011}, 1},
                       {{5, 70, 6}, 1}, {{90, 41}, 0},     {{64}, 0},      {{9, 1}, 1}};

std::size_t dim_of(const Case& at) {
  return static_cast<std::size_t>(at.dim < 0 ? at.dim + std::ssize(at.sizes) : at.dim);
}

std::size_t count(const Sizes& sizes) {
  std::size_t elements = 1;
  for (const std::int64_t size : sizes) elements *= static_cast<std::size_t>(size);
  return elements;
}

Numbers softmax(const Numbers& row, bool logarithm) {
  const double greatest = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (const double x : row) sum += std::exp(x - greatest);
  Numbers values;
  for (const double x : row) {
    const double power = x - greatest;
    values.push_back(logarithm ? power - std::log(sum) : std::exp(power) / sum);
  }
  return values;
}

class SoftmaxTest : public BasicTest {
 protected:
  /// The rows of `out` against those that `expected` makes of the rows of x.
  template <class Expected>
  void compare(const Case& at, const Numbers& out, const Numbers& x, double tolerance,
               const Expected& expected) {
    const auto found = rows_of(out, at.sizes, {dim_of(at)});
    const auto rows = rows_of(x, at.sizes, {dim_of(at)});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      expect_near(found[i], expected(rows[i]), tolerance);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_F(SoftmaxTest, AlongRows) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    for (const Case& at : kCases) {
      SCOPED_TRACE("type " + std::to_string(type) + ", length " +
                   std::to_string(at.sizes[dim_of(at)]));
      const Numbers x = of_type(spread(count(at.sizes), -9, 90), type);
      const DeviceTensor self(at.sizes, x, type), out(at.sizes, Numbers(x.size()), type);
      for (const bool logarithm : {false, true}) {
        ASSERT_EQ(logarithm ? DAVSIM_CALL(LogSoftmax, self, at.dim, out)
                            : DAVSIM_CALL(Softmax, self, at.dim, out),
                  ACL_SUCCESS)
            << last_error();
        compare(at, out.values(), x, rounding_of(type),
                [&](const Numbers& row) { return softmax(row, logarithm); });
      }
    }
  }
}

TEST_F(SoftmaxTest, OfHalvesInFloat) {
  const Numbers x = of_type(spread(40 * 300, -3, 3), ACL_FLOAT16);
  const DeviceTensor self({40, 300}, x, ACL_FLOAT16), out({40, 300}, Numbers(x.size()));
  ASSERT_EQ(DAVSIM_CALL(Softmax, self, 1, out), ACL_SUCCESS) << last_error();
  const Numbers found = out.values();
  const auto rows = rows_of(x, {40, 300}, {1});
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], softmax(rows[i / 300], false)[i % 300], 1e-7);
  }
}

TEST_F(SoftmaxTest, RowsWithInfinities) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const DeviceTensor self({2, 3}, {0, -kInfinity, 0, -kInfinity, -kInfinity, -kInfinity});
  const DeviceTensor out({2, 3}, Numbers(6));
  ASSERT_EQ(DAVSIM_CALL(Softmax, self, 1, out), ACL_SUCCESS) << last_error();
  const double nan = std::nan("");
  expect_near(out.values(), {0.5, 0, 0.5, nan, nan, nan}, 0);
}

TEST_F(SoftmaxTest, GradientsAlongRows) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Case& at : kCases) {
      SCOPED_TRACE("type " + std::to_string(type) + ", length " +
                   std::to_string(at.sizes[dim_of(at)]));
      const Numbers y = of_type(spread(count(at.sizes), 0, 0.01), type);
      const Numbers gradient = of_type(spread(count(at.sizes), -1, 1), type);
      const DeviceTensor output(at.sizes, y, type), given(at.sizes, gradient, type);
      const DeviceTensor out(at.sizes, Numbers(y.size()), type);
      ASSERT_EQ(DAVSIM_CALL(SoftmaxBackward, given, output, at.dim, out), ACL_SUCCESS)
          << last_error();
      const auto gradients = rows_of(gradient, at.sizes, {dim_of(at)});
      std::size_t row = 0;
      compare(at, out.values(), y, rounding_of(type), [&](const Numbers& outputs) {
        const Numbers& given_row = gradients[row++];
        double sum = 0;
        for (std::size_t i = 0; i < outputs.size(); ++i) sum += outputs[i] * given_row[i];
        Numbers values;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          values.push_back((given_row[i] - sum) * outputs[i]);
        }
        return values;
      });
    }
  }
}

TEST_F(SoftmaxTest, OfStridedTensors) {
  const Numbers storage = spread(60 * 40, -2, 2);
  const DeviceTensor self({20, 30}, {1, 40}, 7, storage);
  const DeviceTensor out({20, 30}, {60, 2}, 1, Numbers(1300));
  ASSERT_EQ(DAVSIM_CALL(Softmax, self, 0, out), ACL_SUCCESS) << last_error();
  compare({{20, 30}, 0}, out.values(), self.values(), 2e-6,
          [](const Numbers& row) { return softmax(row, false); });
}

TEST_F(SoftmaxTest, OfNoDimensions) {
  const DeviceTensor self({}, {3}), out({}, {9});
  ASSERT_EQ(DAVSIM_CALL(Softmax, self, 0, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {1}, 0);
  ASSERT_EQ(DAVSIM_CALL(LogSoftmax, self, -1, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {0}, 0);
}

TEST_F(SoftmaxTest, RulesOfArguments) {
  const DeviceTensor self({3, 4}, Numbers(12)), out({3, 4}, Numbers(12)), other({4}, Numbers(4));
  const DeviceTensor whole({3, 4}, Numbers(12), ACL_INT32), nothing({0, 4}, {});
  aclTensor* const null = nullptr;
  EXPECT_EQ(DAVSIM_CALL(Softmax, null, 1, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(Softmax, self, 1, null), 161001);
  EXPECT_EQ(DAVSIM_CALL(Softmax, self, 2, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Softmax, self, 1, other), 161002);
  EXPECT_EQ(DAVSIM_CALL(Softmax, whole, 1, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(SoftmaxBackward, self, other, 1, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Softmax, nothing, 1, nothing), ACL_SUCCESS);
}

}  // namespace
}  // namespace davsim::test::softmax
