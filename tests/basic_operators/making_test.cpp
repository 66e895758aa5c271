// Functions that fill tensors and make numbers.
#include <cmath>
#include <set>

#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_eye.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_fill_tensor.h"
#include "aclnnop/aclnn_linspace.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_ones.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_range.h"
#include "aclnnop/aclnn_uniform.h"
#include "aclnnop/aclnn_zero.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::making {
namespace {

class MakingTest : public BasicTest {};

TEST_F(MakingTest, FillsElementsOfAllWidths) {
  for (const aclDataType type :
       {ACL_BOOL, ACL_INT8, ACL_FLOAT16, ACL_BF16, ACL_FLOAT, ACL_INT32, ACL_INT64, ACL_DOUBLE}) {
    for (const std::int64_t count : {1, 33, 100003}) {
      const auto elements = static_cast<std::size_t>(count);
      const DeviceTensor self({count}, Numbers(elements, 5), type);
      ASSERT_EQ(DAVSIM_CALL(InplaceZero, self), ACL_SUCCESS) << last_error();
      EXPECT_EQ(self.values(), Numbers(elements, 0));
      ASSERT_EQ(DAVSIM_CALL(InplaceOne, self), ACL_SUCCESS) << last_error();
      EXPECT_EQ(self.values(), Numbers(elements, 1));
      const Scalar value(2.5);
      ASSERT_EQ(DAVSIM_CALL(InplaceFillScalar, self, value), ACL_SUCCESS) << last_error();
      EXPECT_EQ(self.values(), Numbers(elements, type == ACL_BOOL ? 1 : as_type(2.5, type)));
      const DeviceTensor one({1}, {1}, ACL_INT32);
      ASSERT_EQ(DAVSIM_CALL(InplaceFillTensor, self, one), ACL_SUCCESS) << last_error();
      EXPECT_EQ(self.values(), Numbers(elements, 1));
    }
  }
  const DeviceTensor self({4}, Numbers(4)), two({2}, Numbers(2));
  EXPECT_EQ(DAVSIM_CALL(InplaceZero, nullptr), 161001);
  EXPECT_EQ(DAVSIM_CALL(InplaceFillScalar, self, nullptr), 161001);
  EXPECT_EQ(DAVSIM_CALL(InplaceFillTensor, self, two), 161002);
}

/// A view of every second row, and one of every second element.
TEST_F(MakingTest, FillsNothingBesidesAView) {
  for (const Sizes& strides : {Sizes{200, 1}, Sizes{100, 2}}) {
    const DeviceTensor self({40, 50}, strides, 3, Numbers(8100, 5));
    ASSERT_EQ(DAVSIM_CALL(InplaceOne, self), ACL_SUCCESS) << last_error();
    EXPECT_EQ(self.values(), Numbers(2000, 1));
    double sum = 0;
    for (const double value : self.storage()) sum += value;
    EXPECT_EQ(sum, 2000 + 6100 * 5);
  }
}

TEST_F(MakingTest, MakesSteps) {
  for (const aclDataType type : {ACL_INT32, ACL_INT64, ACL_FLOAT, ACL_FLOAT16}) {
    const DeviceTensor out({1200}, Numbers(1200), type), down({4}, Numbers(4), type);
    const Scalar start(-3, ACL_INT64), end(1197, ACL_INT64), one(1, ACL_INT64), back(-2, ACL_INT64);
    const Scalar low(-10, ACL_INT64), none(0, ACL_INT64);
    ASSERT_EQ(DAVSIM_CALL(Arange, start, end, one, out), ACL_SUCCESS) << last_error();
    Numbers expected;
    for (int i = 0; i < 1200; ++i) expected.push_back(i - 3);
    EXPECT_EQ(out.values(), expected);
    ASSERT_EQ(DAVSIM_CALL(Arange, start, low, back, down), ACL_SUCCESS) << last_error();
    EXPECT_EQ(down.values(), Numbers({-3, -5, -7, -9}));
    const Scalar last(-9, ACL_INT64);
    ASSERT_EQ(DAVSIM_CALL(Range, start, last, back, down), ACL_SUCCESS) << last_error();
    EXPECT_EQ(down.values(), Numbers({-3, -5, -7, -9}));
    EXPECT_EQ(DAVSIM_CALL(Arange, start, last, back, down), 161002);
    EXPECT_EQ(DAVSIM_CALL(Arange, start, end, none, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(Arange, start, end, back, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(Arange, nullptr, end, one, out), 161001);
  }
  const DeviceTensor halves({5}, Numbers(5));
  const Scalar zero(0), two(2.4), half(0.5);
  ASSERT_EQ(DAVSIM_CALL(Arange, zero, two, half, halves), ACL_SUCCESS) << last_error();
  EXPECT_EQ(halves.values(), Numbers({0, 0.5, 1, 1.5, 2}));
  ASSERT_EQ(DAVSIM_CALL(Linspace, zero, two, 5, halves), ACL_SUCCESS) << last_error();
  expect_near(halves.values(), {0, 0.6, 1.2, 1.8, 2.4}, 1e-7);
  EXPECT_EQ(DAVSIM_CALL(Linspace, zero, two, 4, halves), 161002);
}

/// More than a core and a tile have, in all types that the cores compute.
TEST_F(MakingTest, MakesManySteps) {
  constexpr std::int64_t kCount = 300001;
  for (const aclDataType type : {ACL_INT32, ACL_INT64, ACL_FLOAT, ACL_BF16}) {
    const DeviceTensor out({kCount}, Numbers(kCount), type);
    const Scalar start(-9, ACL_INT64), end(-9 + 3 * kCount, ACL_INT64), step(3, ACL_INT64);
    ASSERT_EQ(DAVSIM_CALL(Arange, start, end, step, out), ACL_SUCCESS) << last_error();
    Numbers expected;
    for (std::int64_t i = 0; i < kCount; ++i) {
      expected.push_back(as_type(static_cast<double>(3 * i - 9), type));
    }
    EXPECT_EQ(out.values(), expected) << "type " << type;
  }
  const DeviceTensor out({kCount}, Numbers(kCount));
  const Scalar start(0.25), end(0.25 + 0.125 * kCount), step(0.125);
  ASSERT_EQ(DAVSIM_CALL(Arange, start, end, step, out), ACL_SUCCESS) << last_error();
  Numbers expected;
  for (std::int64_t i = 0; i < kCount; ++i) {
    expected.push_back(0.25 + 0.125 * static_cast<double>(i));
  }
  EXPECT_EQ(out.values(), expected);
}

/// Beyond what double and the cores have of whole numbers.
TEST_F(MakingTest, MakesLargeWholeNumbers) {
  const DeviceTensor out({3}, Numbers(3), ACL_INT64), wide({3}, Numbers(3), ACL_INT64);
  const Scalar low(-3e9, ACL_INT64), high(3e9, ACL_INT64), far(2e9, ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(Arange, low, high, far, wide), ACL_SUCCESS) << last_error();
  EXPECT_EQ(wide.values(), Numbers({-3e9, -1e9, 1e9}));
  std::int64_t first = (std::int64_t{1} << 60) + 1, last = first + 3;
  aclScalar* const start = aclCreateScalar(&first, ACL_INT64);
  aclScalar* const end = aclCreateScalar(&last, ACL_INT64);
  const Scalar one(1, ACL_INT64);
  EXPECT_EQ(DAVSIM_CALL(Arange, start, end, one, out), ACL_SUCCESS) << last_error();
  aclDestroyScalar(start);
  aclDestroyScalar(end);
}

TEST_F(MakingTest, MakesUnitMatrices) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_INT64, ACL_BOOL}) {
    const DeviceTensor out({3, 5}, Numbers(15, 1), type);
    ASSERT_EQ(DAVSIM_CALL(Eye, 3, 5, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0}));
  }
  const DeviceTensor out({3, 5}, Numbers(15));
  EXPECT_EQ(DAVSIM_CALL(Eye, 5, 3, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Eye, -1, 3, out), 161002);
}

struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments_of(const Numbers& values) {
  Moments moments;
  for (const double value : values) moments.mean += value;
  moments.mean /= static_cast<double>(values.size());
  for (const double value : values) moments.deviation += std::pow(value - moments.mean, 2);
  moments.deviation = std::sqrt(moments.deviation / static_cast<double>(values.size()));
  return moments;
}

TEST_F(MakingTest, MakesRandomNumbers) {
  constexpr std::int64_t kCount = 20000;
  const DeviceTensor self({kCount}, Numbers(kCount)), again({kCount}, Numbers(kCount));
  ASSERT_EQ(DAVSIM_CALL(InplaceUniform, self, -1.0, 3.0, 42, 0), ACL_SUCCESS) << last_error();
  const Numbers uniform = self.values();
  EXPECT_NEAR(moments_of(uniform).mean, 1, 0.05);
  EXPECT_NEAR(moments_of(uniform).deviation, 4 / std::sqrt(12), 0.05);
  for (const double value : uniform) ASSERT_TRUE(value >= -1 && value <= 3);
  ASSERT_EQ(DAVSIM_CALL(InplaceUniform, again, -1.0, 3.0, 42, 0), ACL_SUCCESS);
  EXPECT_EQ(again.values(), uniform) << "the same seed and offset";
  ASSERT_EQ(DAVSIM_CALL(InplaceUniform, again, -1.0, 3.0, 42, 4), ACL_SUCCESS);
  EXPECT_NE(again.values(), uniform);
  ASSERT_EQ(DAVSIM_CALL(InplaceNormal, self, 2.0F, 3.0F, 7, 0), ACL_SUCCESS) << last_error();
  EXPECT_NEAR(moments_of(self.values()).mean, 2, 0.1);
  EXPECT_NEAR(moments_of(self.values()).deviation, 3, 0.1);
  const DeviceTensor whole({kCount}, Numbers(kCount), ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(InplaceRandom, whole, -2, 5, 7, 0), ACL_SUCCESS) << last_error();
  const Numbers drawn = whole.values();
  EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()),
            (std::set<double>{-2, -1, 0, 1, 2, 3, 4}));
  EXPECT_EQ(DAVSIM_CALL(InplaceUniform, self, 3.0, 1.0, 1, 0), 161002);
  EXPECT_EQ(DAVSIM_CALL(InplaceNormal, self, 0.0F, -1.0F, 1, 0), 161002);
  EXPECT_EQ(DAVSIM_CALL(InplaceRandom, whole, 5, 5, 1, 0), 161002);
}

TEST_F(MakingTest, NumbersFollowEachOtherInAnyShape) {
  const DeviceTensor out({1, 2, 3}, Numbers(6));
  ASSERT_EQ(DAVSIM_CALL(Arange, Scalar(0), Scalar(3), Scalar(0.5), out), ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(out.values(), (Numbers{0, 0.5, 1, 1.5, 2, 2.5}));
  EXPECT_EQ(DAVSIM_CALL(Arange, Scalar(0), Scalar(4), Scalar(0.5), out), 161002);
  expect_error("out has 8 elements");
}

}  // namespace
}  // namespace davsim::test::making
