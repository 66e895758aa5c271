// What is registered apart from definitions: what counts, and what only compiles.
#include <gtest/gtest.h>

#include "graph/kernel_launch_info.h"
#include "register/op_ct_impl_registry.h"
#include "register/op_def_registry.h"
#include "register/op_impl_kernel_registry.h"
#include "runtime/op_host/node.hpp"
#include "runtime/op_host/registry.hpp"

namespace ops {

class RegisteredCustom : public OpDef {
 public:
  explicit RegisteredCustom(const char* name) : OpDef(name) {
    this->Input("x").DataType({ge::DT_BF16});
    this->Input("sizes").DataType({ge::DT_INT64});
    this->Input("axes").DataType({ge::DT_INT64});
    this->Output("y").DataType({ge::DT_FLOAT});
    this->Output("z").DataType({ge::DT_FLOAT});
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(RegisteredCustom);

}  // namespace ops

namespace {

void describe_failure(aclrtExceptionInfo*, void*) {}
UINT32 execute(gert::OpExecuteContext* context) {
  return context->GetOutputTensor(0) == nullptr ? ge::GRAPH_FAILED : ge::GRAPH_SUCCESS;
}
UINT32 prepare(gert::OpExecutePrepareContext*) {
  return ge::GRAPH_SUCCESS;
}
UINT32 launch(gert::OpExecuteLaunchContext*) {
  return ge::GRAPH_SUCCESS;
}
UINT32 infer_format(gert::InferFormatContext*) {
  return ge::GRAPH_SUCCESS;
}
ge::Status calculate(gert::ExeResGenerationContext* context) {
  std::vector<gert::StreamInfo> streams(1);
  streams[0].name = "aicpu kfc server";
  streams[0].reuse_key = "kfc_stream";
  return context->SetAttachedStreamInfos(streams);
}
ge::Status generate(const gert::ExeResGenerationContext* context,
                    std::vector<std::vector<std::uint8_t>>& tasks) {
  tasks.clear();
  return context->GetAttachedStreamInfos().empty() ? ge::FAILED : ge::SUCCESS;
}
ge::graphStatus simplify(gert::TilingContext*, ge::char_t*) {
  return ge::GRAPH_SUCCESS;
}
ge::graphStatus check(const gert::OpCheckContext*, ge::AscendString&) {
  return ge::GRAPH_SUCCESS;
}

// Of the kind that operators have which communicate: no graph calls it.
ge::graphStatus describe_tasks(const gert::ExeResGenerationContext* context,
                               std::vector<std::vector<std::uint8_t>>& tasks) {
  auto task = ge::KernelLaunchInfo::CreateAicpuKfcTask(context, "library", "kernel");
  task.SetBlockDim(4);
  std::vector<ge::ArgDescInfo> arguments;
  arguments.emplace_back(ge::ArgDescInfo(ge::ArgDescType::kIrOutputDesc, 0, true));
  arguments.emplace_back(ge::ArgDescInfo::CreateHiddenInput(ge::HiddenInputSubType::kHcom));
  arguments.emplace_back(ge::ArgDescInfo::CreateCustomValue(7));
  task.SetArgsFormat(ge::ArgsFormatSerializer::Serialize(arguments).c_str());
  tasks.push_back(task.Serialize());
  return ge::GRAPH_SUCCESS;
}

// Projects register functions in a constructor of their library as well.
__attribute__((constructor)) void register_description() {
  IMPL_OP(RegisteredCustom).ExceptionDumpParseFunc(describe_failure);
}

}  // namespace

IMPL_OP(RegisteredCustom)
    .InferOutDataTypeSameWithFirstInput()
    .TilingInputsDataDependency({1}, {gert::TILING_ON_HOST, gert::TILING_ON_AICPU});
IMPL_OP(RegisteredCustom)
    .OpExecuteFunc(execute)
    .Op2StageExecuteFuncs(prepare, launch)
    .InferFormat(infer_format)
    .CalcOpParam(calculate)
    .GenerateTask(generate)
    .GenSimplifiedKey(simplify)
    .NullableOutputs({0})
    .CheckSupport(check)
    .OpSelectFormat(check);
IMPL_OP_DEFAULT().CheckSupport(check);
IMPL_OP_CT(RegisteredCustom).CalcOpParam(calculate).GenerateTask(describe_tasks);

namespace davsim::op_host {
namespace {

TEST(Registration, WhereATilingRunsDoesNotMatterForTheValuesItReads) {
  const Definition definition = definition_of("RegisteredCustom", "ascend910b");
  EXPECT_FALSE(definition.inputs[0].value_depend);
  EXPECT_TRUE(definition.inputs[1].value_depend);
  EXPECT_FALSE(definition.inputs[2].value_depend);
}

TEST(Registration, ArgumentsOfTasksKeepWhatTheirTypeHas) {
  ge::ArgDescInfo value = ge::ArgDescInfo::CreateCustomValue(7);
  EXPECT_EQ(value.SetCustomValue(8), 0u);
  EXPECT_EQ(value.GetCustomValue(), 8u);
  EXPECT_NE(value.SetHiddenInputSubType(ge::HiddenInputSubType::kHcom), 0u);
  ge::ArgDescInfo output(ge::ArgDescType::kIrOutput);
  output.SetIrIndex(2);
  output.SetFolded(true);
  EXPECT_EQ(output.GetIrIndex(), 2);
  EXPECT_TRUE(output.IsFolded());
  EXPECT_NE(output.SetCustomValue(1), 0u);
  EXPECT_EQ(output.GetCustomValue(), UINT64_MAX);
}

TEST(Registration, OutputsCanHaveTheTypeOfTheFirstInput) {
  const Definition definition = definition_of("RegisteredCustom", "ascend910b");
  ASSERT_NE(definition.functions.infer_data_type, nullptr);
  Arguments arguments;
  arguments.inputs = {{{ge::DT_BF16, ge::FORMAT_ND, {2}}}, {}, {}};
  arguments.outputs = {{{ge::DT_UNDEFINED, ge::FORMAT_ND, {2}}},
                       {{ge::DT_UNDEFINED, ge::FORMAT_ND, {2}}}};
  Node node(definition, arguments);
  gert::InferDataTypeContext context(node);
  EXPECT_EQ(definition.functions.infer_data_type(&context), ge::GRAPH_SUCCESS);
  EXPECT_EQ(context.GetOutputDataType(0), ge::DT_BF16);
  EXPECT_EQ(context.GetOutputDataType(1), ge::DT_BF16);

  arguments.inputs[0].clear();
  Node empty(definition, arguments);
  gert::InferDataTypeContext without(empty);
  EXPECT_EQ(definition.functions.infer_data_type(&without), ge::GRAPH_FAILED);
}

}  // namespace
}  // namespace davsim::op_host
