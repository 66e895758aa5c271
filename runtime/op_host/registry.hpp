// What the static initialisers of op_host sources and of generated tables have registered.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ascendc/host_api/tiling/template_argument.h"
#include "davsim/operator_kernels.h"
#include "register/op_def_registry.h"

namespace davsim::op_host {

/// Functions of an operator that were registered apart from its definition.
struct Functions {
  ::ops::TilingFunction tiling = nullptr;
  std::size_t tiling_capacity = 0;  ///< bytes; 0: not said
  gert::OpImplRegisterV2::ParseFunction parse;
  gert::OpImplRegisterV2::CompileInfoMaker make_compile_info = nullptr;
  ::ops::InferShapeFunction infer_shape = nullptr;
  ::ops::InferDataTypeFunction infer_data_type = nullptr;
  std::set<std::size_t> value_inputs;  ///< inputs whose elements the functions read
};

/// By name.
std::vector<std::string> registered_operators();
/// Runs the constructor of the operator's class. Throws std::invalid_argument naming the operators
/// that are registered, or what the constructor throws.
::ops::OpDef registered_definition(const std::string& type);
Functions registered_functions(const std::string& type);

/// Tiling data of an operator, or of "Operator_3" for its tiling key 3. Null if there is none.
std::unique_ptr<optiling::TilingDef> registered_tiling_data(const std::string& type);
/// Tiling keys that have tiling data of their own, as they are written.
std::vector<std::string> tiling_data_keys(const std::string& type);

/// The template that an operator's kernel is, and the combinations of values it is compiled for.
struct Template {
  TemplateSelection parameters;
  std::vector<TemplateSelection> selections;
};
/// Null if the kernel is no template.
const Template* registered_template(const std::string& type);

std::vector<OperatorKernel> registered_kernels(std::string_view type);

/// What registrations contradicted each other: two operators of one name and the like. A static
/// initialiser cannot throw, so that whoever loads a library asks here. Empties the list.
std::vector<std::string> take_registration_errors();

}  // namespace davsim::op_host
