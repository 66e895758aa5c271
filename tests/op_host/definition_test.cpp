// Definitions of operators: columns, configurations of SoCs, names, and what is refused.
#include "runtime/op_host/definition.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime/op_host/kernel_choice.hpp"

namespace ops {

class PlainCustom : public OpDef {
 public:
  explicit PlainCustom(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_FRACTAL_NZ})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Input("mask").ParamType(OPTIONAL).DataType({ge::DT_UINT8}).ValueDepend(OPTIONAL);
    this->Output("x").ParamType(REQUIRED).Follow("x").InitValue(0);
    this->Attr("alpha").AttrType(OPTIONAL).Float(0.5f);
    this->Attr("sizes").ListInt();
    this->AICore().AddConfig("ascend910b");
    OpAICoreConfig special;
    special.DynamicCompileStaticFlag(true).ExtendCfgInfo("opFile.value", "plain_arch");
    special.Input("x").ParamType(REQUIRED).DataType({ge::DT_BF16, ge::DT_INT8});
    this->AICore().AddConfig("ascend910_93", special);
  }
};
OP_ADD(PlainCustom);

class CombinedCustom : public OpDef {
 public:
  explicit CombinedCustom(const char* name) : OpDef(name) {
    this->Input("a").DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    this->Input("b").DataTypeList({ge::DT_INT8, ge::DT_INT32, ge::DT_INT64});
    this->Output("c").To("b");
  }
};
OP_ADD(CombinedCustom, CombinedCustom);

class UnevenCustom : public OpDef {
 public:
  explicit UnevenCustom(const char* name) : OpDef(name) {
    this->Input("a").DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    this->Input("b").DataType({ge::DT_INT8, ge::DT_INT32, ge::DT_INT64});
  }
};
OP_ADD(UnevenCustom);

class AstrayCustom : public OpDef {
 public:
  explicit AstrayCustom(const char* name) : OpDef(name) { this->Input("a").Follow("b"); }
};
OP_ADD(AstrayCustom);

class ElsewhereCustom : public OpDef {
 public:
  explicit ElsewhereCustom(const char* name) : OpDef(name) {
    this->Input("x").DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    OpAICoreConfig own;
    own.ExtendCfgInfo("opFile.value", "own_file");
    this->AICore().AddConfig("ascend310b", own);
  }
};
OP_ADD(ElsewhereCustom);

/// Has parts for CPUs alone.
class CpuCustom : public OpDef {
 public:
  explicit CpuCustom(const char* name) : OpDef(name) {
    this->Input("x").DataType({ge::DT_FLOAT});
    this->AICPU()
        .Engine("DNN_VM_AICPU")
        .FlagPartial(false)
        .ComputeCost("100")
        .FlagAsync(false)
        .OpKernelLib("CUSTAICPUKernel")
        .KernelSo("libcust_aicpu_kernels.so")
        .FunctionName("RunCpuKernel")
        .UserDefined(true)
        .ExtendCfgInfo("workspaceSize", "1024");
    this->HostCPU().Engine("DNN_VM_HOST_CPU").ExtendCfgInfo("opsFlag", "OPS_FLAG_OPEN");
  }
};
OP_ADD(CpuCustom);

/// Has a part for AI cores beside one for CPUs, and says what has no effect here.
class BothCustom : public OpDef {
 public:
  explicit BothCustom(const char* name) : OpDef(name) {
    this->Input("x").DataType({ge::DT_INT8});
    this->Output("y").DataType({ge::DT_INT8}).InitValue(ScalarVar(ScalarType::INT8, 3u));
    this->Attr("group").String("");
    this->Comment(CommentSection::BRIEF, "for both");
    this->AICPU().Engine("DNN_VM_AICPU");
    this->AICore().SetGenSimplifiedKey(nullptr).LaunchWithZeroEleOutputTensors(true).AddConfig(
        "ascend910b");
    this->MC2().HcclGroup("group").HcclServerType(HcclServerType::CCU, "ascend910_95");
  }
};
OP_ADD(BothCustom);

class UntypedCustom : public OpDef {
 public:
  explicit UntypedCustom(const char* name) : OpDef(name) {
    this->Input("a").DataType({ge::DT_FLOAT});
    this->Output("b").Format({ge::FORMAT_ND});
  }
};
OP_ADD(UntypedCustom);

}  // namespace ops

namespace davsim::op_host {
namespace {

using Types = std::vector<ge::DataType>;

TEST(Definition, ColumnsAreTheParallelLists) {
  const Definition plain = definition_of("PlainCustom", "ascend910b");
  EXPECT_EQ(plain.columns, 2u);
  EXPECT_EQ(plain.kernel, "plain_custom");
  EXPECT_EQ(plain.file, "plain_custom");
  EXPECT_EQ(plain.units, (std::vector<std::string>{"ascend910_93", "ascend910b"}));
  ASSERT_EQ(plain.inputs.size(), 2u);
  EXPECT_EQ(plain.inputs[0].types, (Types{ge::DT_FLOAT16, ge::DT_FLOAT}));
  EXPECT_EQ(plain.inputs[0].formats[1], ge::FORMAT_FRACTAL_NZ);
  EXPECT_EQ(plain.inputs[1].types, (Types{ge::DT_UINT8, ge::DT_UINT8})) << "one holds for all";
  EXPECT_EQ(plain.inputs[1].kind, ops::OPTIONAL);
  EXPECT_TRUE(plain.inputs[1].value_depend);
  ASSERT_EQ(plain.outputs.size(), 1u);
  EXPECT_EQ(plain.outputs[0].types, plain.inputs[0].types);
  EXPECT_EQ(plain.outputs[0].input, std::optional<std::size_t>(0));
  EXPECT_EQ(plain.outputs[0].init, std::vector<double>{0});
  ASSERT_EQ(plain.attributes.size(), 2u);
  EXPECT_FALSE(plain.attributes[0].required());
  EXPECT_TRUE(plain.attributes[1].required());
}

TEST(Definition, ASocsConfigurationReplacesParameters) {
  const Definition other = definition_of("PlainCustom", "ascend910_93");
  EXPECT_EQ(other.inputs[0].types, (Types{ge::DT_BF16, ge::DT_INT8}));
  EXPECT_EQ(other.outputs[0].types, (Types{ge::DT_BF16, ge::DT_INT8}));
  EXPECT_EQ(other.file, "plain_arch");
}

TEST(Definition, AnOperatorForOtherProductsIsTakenForThese) {
  const Definition definition = definition_of("ElsewhereCustom", "ascend910b");
  EXPECT_EQ(definition.units,
            (std::vector<std::string>{"ascend310b", "ascend910b", "ascend910_93"}));
  EXPECT_EQ(definition.foreign_units, std::vector<std::string>{"ascend310b"});
  EXPECT_EQ(definition.file, "own_file") << "the configuration of the other product counts";
  EXPECT_TRUE(definition_of("PlainCustom", "ascend910b").foreign_units.empty());
}

TEST(Definition, AnOperatorForCpusAloneHasNoAiCoreKernel) {
  const Definition definition = definition_of("CpuCustom", "ascend910b");
  const char* const lack =
      "the definition of CpuCustom has no AICore().AddConfig, only AICPU(), HostCPU()";
  EXPECT_EQ(lacking_ai_core(definition), lack);
  try {
    kernel_for(definition, "ascend910b", 0, 0);
    FAIL();
  } catch (const KernelMissing& missing) {
    EXPECT_EQ(missing.rule, "operator CpuCustom has an AI core kernel");
    EXPECT_EQ(missing.found, lack);
  }
  EXPECT_EQ(lacking_ai_core(definition_of("CombinedCustom", "")),
            "the definition of CombinedCustom has no AICore().AddConfig");
}

TEST(Definition, APartForCpusChangesNothingForAiCores) {
  const Definition definition = definition_of("BothCustom", "ascend910b");
  EXPECT_EQ(lacking_ai_core(definition), "");
  EXPECT_EQ(definition.units, std::vector<std::string>{"ascend910b"});
  EXPECT_EQ(definition.groups, std::vector<std::string>{"group"});
  EXPECT_EQ(definition.outputs[0].init, std::vector<double>{3});
}

TEST(Definition, CombinedListsMultiplyTheColumns) {
  const Definition combined = definition_of("CombinedCustom", "");
  EXPECT_EQ(combined.columns, 6u);
  EXPECT_EQ(combined.inputs[0].types, (Types{ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT16,
                                             ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_FLOAT}));
  EXPECT_EQ(combined.inputs[1].types, (Types{ge::DT_INT8, ge::DT_INT8, ge::DT_INT32, ge::DT_INT32,
                                             ge::DT_INT64, ge::DT_INT64}));
  EXPECT_EQ(combined.outputs[0].types, combined.inputs[1].types);
}

std::string refusal(const std::string& type) {
  try {
    definition_of(type, "");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Definition, ContradictionsAreRefusedByName) {
  EXPECT_EQ(refusal("UnevenCustom"),
            "operator UnevenCustom: lists are equally long; DataType of b has 3 entries, others "
            "have 2");
  EXPECT_EQ(refusal("AstrayCustom"), "operator AstrayCustom: a follows 'b', which does not exist");
  EXPECT_EQ(refusal("UntypedCustom"), "operator UntypedCustom: b has no DataType");
  EXPECT_EQ(refusal("Missing").substr(0, 51),
            "no operator 'Missing' is registered; there are: Ast");
}

TEST(Definition, NamesOfKernelsFollowTheVendorsRule) {
  EXPECT_EQ(snake_case("AddCustom"), "add_custom");
  EXPECT_EQ(snake_case("Conv2D"), "conv2_d");
  EXPECT_EQ(snake_case("GatherV2"), "gather_v2");
  EXPECT_EQ(snake_case("GRUCell"), "gru_cell");
  EXPECT_EQ(snake_case("TopK"), "top_k");
}

}  // namespace
}  // namespace davsim::op_host
