// Functions of operators that are registered apart from their definitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "exe_graph/runtime/base_type.h"
#include "exe_graph/runtime/exe_res_generation_context.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/op_execute_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/ascend_string.h"
#include "graph/compiler_def.h"

/// As acl/acl_rt.h names it.
extern "C" {
typedef struct rtExceptionInfo aclrtExceptionInfo;
}

namespace gert {

/// Where a tiling function runs that reads values of inputs.
enum TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

class OpExecutePrepareContext;
class OpExecuteLaunchContext;
class InferFormatContext;

class OpImplRegisterV2 {
 public:
  using TilingKernelFunc = ge::graphStatus (*)(TilingContext*);
  using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext*);
  using InferShapeRangeKernelFunc = ge::graphStatus (*)(InferShapeRangeContext*);
  using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext*);
  using ExceptionDumpFunc = void (*)(aclrtExceptionInfo*, void*);
  /// Functions of graphs.
  using GenSimplifiedKeyKernelFunc = UINT32 (*)(TilingContext*, ge::char_t*);
  using OpExecFunc = UINT32 (*)(OpExecuteContext*);
  using OpExecPrepareFunc = UINT32 (*)(OpExecutePrepareContext*);
  using OpExecLaunchFunc = UINT32 (*)(OpExecuteLaunchContext*);
  using InferFormatFunc = UINT32 (*)(InferFormatContext*);
  using OpCalcParamKernelFunc = UINT32 (*)(ExeResGenerationContext*);
  using OpGenTaskKernelFunc = UINT32 (*)(const ExeResGenerationContext*,
                                         std::vector<std::vector<std::uint8_t>>&);
  using OP_CHECK_FUNC_V2 = ge::graphStatus (*)(const OpCheckContext*, ge::AscendString&);
  using ParseFunction = std::function<ge::graphStatus(TilingParseContext*)>;
  using CompileInfoMaker = std::shared_ptr<void> (*)();

  explicit OpImplRegisterV2(const char* op_type) : op_type_(op_type) {}

  /// `capacity`: bytes of tiling data at most; 0: what every operator has.
  OpImplRegisterV2& Tiling(TilingKernelFunc function, std::size_t capacity = 0);
  template <class T>
  OpImplRegisterV2& TilingParse(ge::graphStatus (*function)(TilingParseContext*)) {
    return Parse(function, [] { return std::shared_ptr<void>(std::make_shared<T>()); });
  }
  template <class T>
  OpImplRegisterV2& TilingParse(ge::graphStatus (*function)(KernelContext*)) {
    return Parse(function, [] { return std::shared_ptr<void>(std::make_shared<T>()); });
  }
  OpImplRegisterV2& InferShape(InferShapeKernelFunc function);
  OpImplRegisterV2& InferShapeRange(InferShapeRangeKernelFunc) { return *this; }
  OpImplRegisterV2& InferDataType(InferDataTypeKernelFunc function);
  /// All outputs have the type of the first input.
  OpImplRegisterV2& InferOutDataTypeSameWithFirstInput();
  /// Inputs whose elements the functions read.
  OpImplRegisterV2& InputsDataDependency(std::initializer_list<std::int32_t> inputs);
  OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<std::int32_t> inputs) {
    return InputsDataDependency(inputs);
  }
  /// Tiling functions run on the host, wherever they may run besides.
  OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<std::int32_t> inputs,
                                               std::initializer_list<TilingPlacement>) {
    return InputsDataDependency(inputs);
  }
  /// Attributes that no definition declares, with a value or without one: tilings do not see them.
  template <class... Value>
  OpImplRegisterV2& PrivateAttr(const char*, Value&&...) {
    return *this;
  }
  OpImplRegisterV2& HostInputs(std::initializer_list<std::int32_t>) { return *this; }
  OpImplRegisterV2& OutputShapeDependOnCompute(std::initializer_list<std::int32_t>) {
    return *this;
  }
  OpImplRegisterV2& NullableOutputs(std::initializer_list<std::int32_t>) { return *this; }
  /// What a device calls to describe a kernel that failed, which davsim describes itself.
  OpImplRegisterV2& ExceptionDumpParseFunc(ExceptionDumpFunc) { return *this; }
  /// What graphs call, of which there are none.
  OpImplRegisterV2& OpExecuteFunc(OpExecFunc) { return *this; }
  OpImplRegisterV2& Op2StageExecuteFuncs(OpExecPrepareFunc, OpExecLaunchFunc) { return *this; }
  OpImplRegisterV2& InferFormat(InferFormatFunc) { return *this; }
  OpImplRegisterV2& CalcOpParam(OpCalcParamKernelFunc) { return *this; }
  OpImplRegisterV2& GenerateTask(OpGenTaskKernelFunc) { return *this; }
  OpImplRegisterV2& GenSimplifiedKey(GenSimplifiedKeyKernelFunc) { return *this; }
  OpImplRegisterV2& CheckSupport(OP_CHECK_FUNC_V2) { return *this; }
  OpImplRegisterV2& OpSelectFormat(OP_CHECK_FUNC_V2) { return *this; }

 private:
  OpImplRegisterV2& Parse(ParseFunction function, CompileInfoMaker maker);

  const char* op_type_;
};
using OpImplRegister = OpImplRegisterV2;

}  // namespace gert

#define DAVSIM_IMPL_OP(variable, op_type) \
  [[maybe_unused]] static ::gert::OpImplRegisterV2 variable = ::gert::OpImplRegisterV2(#op_type)

#define DAVSIM_IMPL_OP_NUMBERED(op_type, number) \
  DAVSIM_IMPL_OP(davsim_impl_op_##op_type##_##number, op_type)
#define DAVSIM_IMPL_OP_COUNTED(op_type, number) DAVSIM_IMPL_OP_NUMBERED(op_type, number)
/// May stand more than once in a source.
#define IMPL_OP(op_type) DAVSIM_IMPL_OP_COUNTED(op_type, __COUNTER__)
/// What graphs take for operators that register nothing.
#define IMPL_OP_DEFAULT() IMPL_OP(DefaultImpl)
#define IMPL_OP_OPTILING(op_type) DAVSIM_IMPL_OP(davsim_impl_tiling_##op_type, op_type)
#define IMPL_OP_INFERSHAPE(op_type) DAVSIM_IMPL_OP(davsim_impl_shape_##op_type, op_type)
