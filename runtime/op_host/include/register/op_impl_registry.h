// Functions of operators that are registered apart from their definitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"

namespace gert {

class OpImplRegisterV2 {
 public:
  using TilingKernelFunc = ge::graphStatus (*)(TilingContext*);
  using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext*);
  using InferShapeRangeKernelFunc = ge::graphStatus (*)(InferShapeRangeContext*);
  using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext*);
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
  /// Inputs whose elements the functions read.
  OpImplRegisterV2& InputsDataDependency(std::initializer_list<std::int32_t> inputs);
  OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<std::int32_t> inputs) {
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

 private:
  OpImplRegisterV2& Parse(ParseFunction function, CompileInfoMaker maker);

  const char* op_type_;
};
using OpImplRegister = OpImplRegisterV2;

}  // namespace gert

#define DAVSIM_IMPL_OP(variable, op_type) \
  [[maybe_unused]] static ::gert::OpImplRegisterV2 variable = ::gert::OpImplRegisterV2(#op_type)

#define IMPL_OP(op_type) DAVSIM_IMPL_OP(davsim_impl_op_##op_type, op_type)
#define IMPL_OP_OPTILING(op_type) DAVSIM_IMPL_OP(davsim_impl_tiling_##op_type, op_type)
#define IMPL_OP_INFERSHAPE(op_type) DAVSIM_IMPL_OP(davsim_impl_shape_##op_type, op_type)
