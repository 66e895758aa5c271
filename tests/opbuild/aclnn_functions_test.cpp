// The functions that are generated for an operator.
#include "runtime/opbuild/aclnn_functions.hpp"

#include <gtest/gtest.h>

#include "register/op_def_registry.h"

namespace ops {

/// Has every kind of parameter.
class ConvGRU2D : public OpDef {
 public:
  explicit ConvGRU2D(const char* name) : OpDef(name) {
    this->Input("x_in").ParamType(REQUIRED).DataType({ge::DT_FLOAT16});
    this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT16});
    this->Input("parts").ParamType(DYNAMIC).DataType({ge::DT_FLOAT16});
    this->Input("sizes").ParamType(OPTIONAL).DataType({ge::DT_INT64}).ValueDepend(REQUIRED);
    this->Input("axes").ParamType(REQUIRED).DataType({ge::DT_INT64}).ValueDepend(OPTIONAL);
    this->Input("count").ParamType(REQUIRED).DataType({ge::DT_INT32}).ValueDepend(OPTIONAL);
    this->Input("by").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Scalar();
    this->Input("cache").ParamType(REQUIRED).DataType({ge::DT_FLOAT16});
    this->Output("y_1").ParamType(REQUIRED).DataType({ge::DT_FLOAT16});
    this->Output("cache").ParamType(REQUIRED).DataType({ge::DT_FLOAT16});
    this->Attr("eps").AttrType(OPTIONAL).Float(1.0f);
    this->Attr("mode").AttrType(OPTIONAL).String("a");
    this->Attr("layout").AttrType(REQUIRED).String();
    this->Attr("pads").AttrType(REQUIRED).ListInt();
    this->Attr("table").AttrType(OPTIONAL).ListListInt({{1}});
    this->Attr("fast").AttrType(REQUIRED).Bool();
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(ConvGRU2D);

/// Has one output.
class Lone : public OpDef {
 public:
  explicit Lone(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16});
    this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT16});
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(Lone);

}  // namespace ops

namespace davsim::opbuild {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AclnnFunctions, WhatIsWrittenByHandHasAHeaderOfTheGeneratedOnes) {
  const std::string header = inner_header("Lone");
  EXPECT_TRUE(has(header, "#ifndef ACLNNINNER_LONE_H_")) << header;
  EXPECT_TRUE(has(header,
                  "aclnnStatus aclnnInnerLoneGetWorkspaceSize(\n"
                  "    const aclTensor *x,\n"
                  "    const aclTensor *out,\n"))
      << header;
}

TEST(AclnnFunctions, AHeaderHasTheDocumentedNamesAndTypesInTheDocumentedOrder) {
  const std::string header = aclnn_header("ConvGRU2D");
  EXPECT_TRUE(has(header,
                  "aclnnStatus aclnnConvGRU2DGetWorkspaceSize(\n"
                  "    const aclTensor *xIn,\n"
                  "    const aclTensor *biasOptional,\n"
                  "    const aclTensorList *parts,\n"
                  "    const aclIntArray *sizesOptional,\n"
                  "    const aclIntArray *axes,\n"
                  "    const aclTensor *count,\n"
                  "    const aclScalar *by,\n"
                  "    aclTensor *cacheRef,\n"
                  "    double eps,\n"
                  "    char *modeOptional,\n"
                  "    char *layout,\n"
                  "    const aclIntArray *pads,\n"
                  "    bool fast,\n"
                  "    const aclTensor *y1Out,\n"
                  "    uint64_t *workspaceSize,\n"
                  "    aclOpExecutor **executor);"))
      << header;
  EXPECT_TRUE(has(header,
                  "aclnnStatus aclnnConvGRU2D(\n    void *workspace,\n"
                  "    uint64_t workspaceSize,\n    aclOpExecutor *executor,\n"
                  "    aclrtStream stream);"));
}

TEST(AclnnFunctions, ValuesThatMayBeATensorHaveASecondPairOfFunctions) {
  const std::string header = aclnn_header("ConvGRU2D");
  EXPECT_TRUE(has(header, "aclnnStatus aclnnConvGRU2DTensorGetWorkspaceSize("));
  // Only the one that may be either differs.
  EXPECT_TRUE(has(header, "    const aclIntArray *sizesOptional,\n    const aclTensor *axes,\n"));
  EXPECT_FALSE(has(aclnn_header("Lone"), "aclnnLoneTensor"));
}

TEST(AclnnFunctions, OneOutputIsCalledOut) {
  EXPECT_TRUE(has(aclnn_header("Lone"), "    const aclTensor *x,\n    const aclTensor *out,\n"));
}

TEST(AclnnFunctions, ASourceNamesTheLibraryOfTheKernels) {
  const std::string source = aclnn_source("Lone", "libmine.so");
  EXPECT_TRUE(has(source, "#include \"aclnn_lone.h\""));
  EXPECT_TRUE(has(source, "{\"Lone\", \"aclnnLone\", DAVSIM_KERNELS_OF(\"libmine.so\"),"));
}

TEST(AclnnFunctions, AnOperatorThatIsNotRegisteredIsNamed) {
  EXPECT_THROW(aclnn_header("Nobody"), std::invalid_argument);
}

// A project's own aclnnLone replaces the weak one and may call the other.
TEST(AclnnFunctions, TheWorkIsDoneByAnInnerFunctionThatAWeakOneCalls) {
  const std::string source = aclnn_source("Lone", "libcust.so");
  EXPECT_TRUE(has(source,
                  "aclnnStatus aclnnInnerLoneGetWorkspaceSize(\n    const aclTensor *x,\n"
                  "    const aclTensor *out,\n    uint64_t *workspaceSize,\n"
                  "    aclOpExecutor **executor) {\n  const DavsimArgument arguments[]"))
      << source;
  EXPECT_TRUE(has(source, "__attribute__((weak))\naclnnStatus aclnnLoneGetWorkspaceSize("));
  EXPECT_TRUE(has(source,
                  "  return aclnnInnerLoneGetWorkspaceSize(x, out, workspaceSize, "
                  "executor);"));
  EXPECT_TRUE(has(source, "  return aclnnInnerLone(workspace, workspaceSize, executor, stream);"));
  EXPECT_TRUE(has(source, "davsim_operator_known(&kOf_aclnnLone)"));
}

}  // namespace
}  // namespace davsim::opbuild
