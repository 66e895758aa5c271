// What headers of tensors declare beside shapes.
#include "exe_graph/runtime/runtime_tensor.h"

#include <gtest/gtest.h>

#include "exe_graph/runtime/context_extend.h"
#include "exe_graph/runtime/range.h"
#include "graph/attr_value.h"
#include "graph/compiler_def.h"
#include "graph/graph.h"

namespace gert {
namespace {

TEST(Tensor, KnowsWhereItsElementsLie) {
  std::int32_t elements[] = {1, 2};
  const StorageShape shape({2}, {2});
  EXPECT_EQ(Tensor(shape, StorageFormat(), ge::DT_INT32).GetPlacement(), kOnDeviceHbm);
  EXPECT_EQ(Tensor(shape, StorageFormat(), ge::DT_INT32, elements).GetPlacement(), kOnHost);
  Tensor tensor(shape, StorageFormat(), kFollowing, ge::DT_INT32, elements);
  EXPECT_EQ(tensor.GetData<std::int32_t>()[1], 2);
  EXPECT_TRUE(TensorPlacementUtils::IsOnHost(tensor.GetPlacement()));
  EXPECT_FALSE(TensorPlacementUtils::IsOnDevice(tensor.GetPlacement()));
  tensor.SetPlacement(kOnDeviceP2p);
  EXPECT_TRUE(TensorPlacementUtils::IsOnDevice(tensor.GetPlacement()));
}

TEST(ExpandDimsType, NewDimensionsHaveSizeOne) {
  const auto expanded = [](const char* rule, Shape shape) {
    EXPECT_EQ(ExpandDimsType(rule).Expand(shape, shape), ge::GRAPH_SUCCESS);
    return shape;
  };
  EXPECT_EQ(expanded("0110", {2, 3}), (Shape{2, 1, 1, 3}));
  EXPECT_EQ(expanded("100", {2, 3}), (Shape{1, 2, 3}));
  EXPECT_EQ(expanded("1", {2, 3}), (Shape{1, 2, 3})) << "what the rule does not name follows";
  EXPECT_EQ(expanded("11", {2, 3}), (Shape{2, 3})) << "there are enough dimensions";
  Shape kept = {7};
  EXPECT_EQ(ExpandDimsType("1000").Expand({2, 3}, kept), ge::GRAPH_FAILED);
  EXPECT_EQ(kept, Shape{7});
  const StorageFormat format(ge::FORMAT_ND, ge::FORMAT_ND, ExpandDimsType("01"));
  EXPECT_EQ(format.GetExpandDimsType(), ExpandDimsType("01"));
  EXPECT_EQ(ExpandDimsType(std::string(57, '1').c_str()).GetFullSize(), 0u);
}

TEST(Range, IsOfTheSameBoundsOrTheSameValues) {
  Shape least = {1}, same = {1}, most = {9};
  EXPECT_EQ(Range<Shape>(&least, &most), Range<Shape>(&same, &most));
  EXPECT_FALSE(Range<Shape>(&least) == Range<Shape>(&least, &most));
  EXPECT_FALSE(Range<Shape>() == Range<Shape>(&least));
  Range<Shape> range(&least);
  range.SetMax(&most);
  EXPECT_EQ(*range.GetMax(), Shape{9});
}

}  // namespace
}  // namespace gert
