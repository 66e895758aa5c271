// What a tiling function learns of views, and the values that it sets and reads back.
#include <gtest/gtest.h>

#include "platform/platform_info.h"
#include "register/op_def_registry.h"
#include "runtime/op_host/node.hpp"

namespace ops {

class ViewedCustom : public OpDef {
 public:
  explicit ViewedCustom(const char* name) : OpDef(name) {
    this->Input("x").DataType({ge::DT_FLOAT16}).IgnoreContiguous();
    this->Input("mask").ParamType(OPTIONAL).DataType({ge::DT_UINT8});
    this->Input("parts").ParamType(DYNAMIC).DataType({ge::DT_FLOAT16}).IgnoreContiguous();
    this->Output("y").DataType({ge::DT_FLOAT16}).IgnoreContiguous();
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(ViewedCustom);

}  // namespace ops

namespace davsim::op_host {
namespace {

TensorArgument whole() {
  return {ge::DT_FLOAT16, ge::FORMAT_ND, {4, 2}};
}

TensorArgument view(std::int64_t step, std::int64_t offset) {
  return {ge::DT_FLOAT16, ge::FORMAT_ND, {4, 2}, nullptr, {step, 1}, offset};
}

class TilingContextTest : public testing::Test {
 protected:
  TilingContextTest() : node_(definition_, arguments_), state_(64, platform_, nullptr) {}

  const Definition definition_ = definition_of("ViewedCustom", "ascend910b");
  const Arguments arguments_ = {{{view(8, 3)}, {}, {whole(), view(9, 0)}}, {{view(10, 1)}}, {}};
  Node node_;
  fe::PlatFormInfos platform_;
  TilingState state_;
  gert::TilingContext context_{node_, state_};
};

TEST_F(TilingContextTest, AViewHasStridesAndAnOffset) {
  EXPECT_TRUE(context_.InputIsView(0));
  EXPECT_EQ(*context_.GetInputStride(0), (gert::Stride{8, 1}));
  EXPECT_EQ(context_.GetInputOffset(0), 3);
  EXPECT_TRUE(context_.RequiredInputIsView(0));
  EXPECT_EQ(context_.GetRequiredInputStride(0), context_.GetInputStride(0));
  EXPECT_EQ(context_.GetRequiredInputOffset(0), 3);
  // The tensor of parameter 2 that is a view is the third: the optional one is missing.
  EXPECT_TRUE(context_.InputIsView(2));
  EXPECT_TRUE(context_.DynamicInputIsView(2, 1));
  EXPECT_EQ(context_.GetDynamicInputStride(2, 1)->GetStride(0), 9);
  EXPECT_EQ(context_.GetDynamicInputOffset(2, 1), 0);
  EXPECT_TRUE(context_.OutputIsView(0));
  EXPECT_EQ((*context_.GetOutputStride(0))[0], 10);
  EXPECT_EQ(context_.GetOutputOffset(0), 1);
}

TEST_F(TilingContextTest, WhatIsNoViewHasNeither) {
  EXPECT_FALSE(context_.InputIsView(1));
  EXPECT_EQ(context_.GetInputStride(1), nullptr);
  EXPECT_EQ(context_.GetInputOffset(1), -1);
  EXPECT_FALSE(context_.InputIsView(9));
  EXPECT_FALSE(context_.OptionalInputIsView(1));
  EXPECT_EQ(context_.GetOptionalInputStride(1), nullptr);
  EXPECT_EQ(context_.GetOptionalInputOffset(1), -1);
  EXPECT_FALSE(context_.DynamicInputIsView(2, 0));
  EXPECT_EQ(context_.GetDynamicInputOffset(2, 7), -1);
  EXPECT_FALSE(context_.OutputIsView(1));
  EXPECT_EQ(context_.GetOutputOffset(1), -1);
}

TEST_F(TilingContextTest, ValuesThatHaveTwoNamesAreOne) {
  context_.SetBlockDim(7);
  EXPECT_EQ(context_.GetSimdNumBlocks(), 7u);
  context_.SetAicpuBlockDim(3);
  EXPECT_EQ(context_.GetAicpuNumBlocks(), 3u);
  context_.SetAicpuNumBlocks(4);
  EXPECT_EQ(context_.GetAicpuBlockDim(), 4u);
  EXPECT_EQ(context_.GetBlockDim(), 7u) << "blocks on AI CPUs are others";
  context_.SetDynUBufSize(1024);
  EXPECT_EQ(context_.GetLocalMemorySize(), 1024u);
  EXPECT_EQ(context_.GetDynUBufSize(), 1024u);
  EXPECT_EQ(context_.GetDeterministicLevel(), 0);
}

TEST(Stride, IsLikeAShape) {
  gert::Stride stride = {8, 1};
  EXPECT_EQ(stride.GetStride(2), 0);
  EXPECT_EQ(stride.GetStride(gert::Stride::kMaxDimNum), gert::Stride::kInvalidStrideValue);
  stride.SetStride(2, 5);
  stride.SetDimNum(3);
  EXPECT_EQ(stride, (gert::Stride{8, 1, 5}));
  EXPECT_NE(stride, (gert::Stride{8, 1, 4}));
}

}  // namespace
}  // namespace davsim::op_host
