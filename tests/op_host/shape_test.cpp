// Shapes as host sources see them, and the elements that davsim finds in one.
#include "exe_graph/runtime/shape.h"

#include <gtest/gtest.h>

#include "runtime/op_host/elements.hpp"

namespace davsim::op_host {
namespace {

using gert::Shape;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(Shape, ADimensionThatIsNotCountedHasAPlace) {
  Shape shape = {4, 5};
  EXPECT_EQ(shape.GetDim(2), 0);
  shape.SetDim(2, 6);
  EXPECT_EQ(shape.GetDim(2), 6);
  EXPECT_EQ(shape.GetDimNum(), 2u);
  shape.SetDimNum(3);
  EXPECT_EQ(shape, (Shape{4, 5, 6}));
  EXPECT_EQ(shape.GetDim(Shape::kMaxDimNum), Shape::kInvalidDimValue);
}

TEST(Shape, AnIndexRefersToTheDimension) {
  const Shape shape = {4, 5};
  const std::int64_t& second = shape[1];
  EXPECT_EQ(&second, &shape[1]);
  EXPECT_EQ(second, 5);
  EXPECT_EQ(shape[2], 0);
}

TEST(Shape, TooManySizesMakeAScalar) {
  const Shape most = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2};
  EXPECT_EQ(most.GetDimNum(), Shape::kMaxDimNum);
  EXPECT_EQ(most.GetShapeSize(), 2);
  const Shape more = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2};
  EXPECT_TRUE(more.IsScalar());
}

TEST(Shape, TheSizeIsTheProduct) {
  EXPECT_EQ((Shape{2, -1, 3}).GetShapeSize(), -6);
  EXPECT_EQ((Shape{-1, 4, -1}).GetShapeSize(), 4);
  EXPECT_EQ((Shape{kMost, 2}).GetShapeSize(), Shape::kInvalidDimValue);
  EXPECT_EQ(Shape().GetShapeSize(), 1);
}

TEST(Shape, HasElementsOnlyWhereAllSizesAreKnown) {
  EXPECT_EQ(elements_of({2, 0, 3}), 0);
  EXPECT_EQ(elements_of({2, 3}), 6);
  EXPECT_EQ(elements_of({2, -1}), std::nullopt);
  EXPECT_EQ(elements_of({-1, 4, -1}), std::nullopt);
  EXPECT_EQ(elements_of({0, -1}), std::nullopt);
  EXPECT_EQ(elements_of({kMost, 2}), std::nullopt);
}

}  // namespace
}  // namespace davsim::op_host
