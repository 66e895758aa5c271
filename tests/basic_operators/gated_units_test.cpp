// Gated units against the mathematics of the host.
#include <cmath>

#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::gated_units {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

double gelu(double x, std::int64_t approximate) {
  if (approximate == 0) return x * 0.5 * (1 + std::erf(x * std::sqrt(0.5)));
  return x * 0.5 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

struct Case {
  Sizes sizes;
  std::int64_t dim;
};

/// Short rows, long ones, one row for all cores, and a dimension in front of others.
const Case kCases[] = {
    {{900, 6}, -1}, {{40, 2 * 1003}, 1}, {{2, 20000}, 1}, {{8, 3000}, 0}, {{3, 4, 50}, 1}};

class GatedUnitsTest : public BasicTest {
 protected:
  /// Calls `call(self, dim, out)` and compares with `value` of the elements of both halves.
  template <class Call, class Value>
  void check(const Call& call, const Value& value) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      for (const auto& [sizes, dim] : kCases) {
        SCOPED_TRACE("type " + std::to_string(type) + ", size " + std::to_string(sizes[0]));
        const auto at = static_cast<std::size_t>(dim < 0 ? dim + std::ssize(sizes) : dim);
        std::size_t half = static_cast<std::size_t>(sizes[at] / 2), rows = 1;
        for (std::size_t d = at + 1; d < sizes.size(); ++d)
          half *= static_cast<std::size_t>(sizes[d]);
        for (std::size_t d = 0; d < at; ++d) rows *= static_cast<std::size_t>(sizes[d]);
        const Numbers x = of_type(spread(2 * half * rows, -4, 4), type);
        Sizes halved = sizes;
        halved[at] /= 2;
        const DeviceTensor self(sizes, x, type), out(halved, Numbers(half * rows), type);
        ASSERT_EQ(call(self, dim, out), ACL_SUCCESS) << last_error();
        Numbers expected;
        for (std::size_t row = 0; row < rows; ++row) {
          for (std::size_t i = 0; i < half; ++i) {
            expected.push_back(value(x[row * 2 * half + i], x[row * 2 * half + half + i]));
          }
        }
        expect_near(out.values(), expected, 3 * rounding_of(type));
      }
    }
  }
};

TEST_F(GatedUnitsTest, BySwish) {
  check([&](auto& self, auto dim, auto& out) { return DAVSIM_CALL(SwiGlu, self, dim, out); },
        [](double left, double right) { return left * sigmoid(left) * right; });
}

TEST_F(GatedUnitsTest, BySigmoid) {
  check([&](auto& self, auto dim, auto& out) { return DAVSIM_CALL(Glu, self, dim, out); },
        [](double left, double right) { return left * sigmoid(right); });
}

TEST_F(GatedUnitsTest, ByGelu) {
  for (const std::int64_t approximate : {0, 1}) {
    check(
        [&](auto& self, auto dim, auto& out) {
          const DeviceTensor activation(out.sizes(), Numbers(out.values().size()), out.type());
          return DAVSIM_CALL(GeGlu, self, dim, approximate, out, activation);
        },
        [&](double left, double right) { return left * gelu(right, approximate); });
  }
  check(
      [&](auto& self, auto dim, auto& out) {
        const DeviceTensor activation(out.sizes(), Numbers(out.values().size()), out.type());
        return DAVSIM_CALL(GeGluV3, self, dim, 1, true, out, activation);
      },
      [&](double left, double right) { return gelu(left, 1) * right; });
}

TEST_F(GatedUnitsTest, WritesItsActivation) {
  const Numbers x = spread(30 * 200, -4, 4);
  const DeviceTensor self({30, 200}, x), out({30, 100}, Numbers(3000));
  const DeviceTensor activation({30, 100}, Numbers(3000));
  ASSERT_EQ(DAVSIM_CALL(GeGlu, self, 1, 0, out, activation), ACL_SUCCESS) << last_error();
  Numbers expected;
  for (std::size_t i = 0; i < 3000; ++i) {
    expected.push_back(gelu(x[i / 100 * 200 + 100 + i % 100], 0));
  }
  expect_near(activation.values(), expected, 1e-5);
}

TEST_F(GatedUnitsTest, OfStridedTensors) {
  const DeviceTensor x({20, 30}, {1, 40}, 7, spread(60 * 40, -4, 4));
  const DeviceTensor out({20, 15}, {1, 20}, 0, Numbers(300));
  ASSERT_EQ(DAVSIM_CALL(SwiGlu, x, 1, out), ACL_SUCCESS) << last_error();
  const Numbers elements = x.values();
  Numbers expected;
  for (std::size_t i = 0; i < 300; ++i) {
    const double left = elements[i / 15 * 30 + i % 15], right = elements[i / 15 * 30 + 15 + i % 15];
    expected.push_back(left * sigmoid(left) * right);
  }
  expect_near(out.values(), expected, 1e-5);
}

TEST_F(GatedUnitsTest, RulesOfArguments) {
  const DeviceTensor x({3, 4}, Numbers(12)), odd({3, 3}, Numbers(9)), out({3, 2}, Numbers(6));
  const DeviceTensor whole({3, 4}, Numbers(12), ACL_INT32);
  aclTensor* const null = nullptr;
  EXPECT_EQ(DAVSIM_CALL(SwiGlu, null, 1, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(SwiGlu, x, 1, null), 161001);
  EXPECT_EQ(DAVSIM_CALL(SwiGlu, x, 2, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(SwiGlu, odd, 1, out), 161002);
  EXPECT_NE(last_error().find("x has an even size in dimension 1"), std::string::npos);
  EXPECT_EQ(DAVSIM_CALL(SwiGlu, x, 1, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(SwiGlu, whole, 1, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(GeGlu, x, 1, 2, out, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(GeGlu, x, 1, 1, out, null), 161001);
}

}  // namespace
}  // namespace davsim::test::gated_units
