#include "runtime/op_host/registry.hpp"

#include <map>
#include <stdexcept>
#include <utility>

namespace davsim::op_host {
namespace {

using TilingMaker = std::unique_ptr<optiling::TilingDef> (*)();

struct Registry {
  std::map<std::string, ops::OpDefFactory::Creator> operators;
  std::map<std::string, Functions> functions;
  std::map<std::string, TilingMaker> tiling_data;
  std::map<std::string, Template> templates;
  std::string last_template;  ///< selections that follow belong to it
  std::vector<OperatorKernel> kernels;
  std::vector<std::string> errors;
};

/// Made at first use: initialisers of other files may run before this file's own.
Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

std::vector<std::string> registered_operators() {
  std::vector<std::string> types;
  for (const auto& entry : registry().operators) types.push_back(entry.first);
  return types;
}

ops::OpDef registered_definition(const std::string& type) {
  const auto found = registry().operators.find(type);
  if (found != registry().operators.end()) return found->second(type.c_str());
  std::string message = "no operator '" + type + "' is registered; there are:";
  for (const std::string& known : registered_operators()) message += " " + known;
  throw std::invalid_argument(message);
}

Functions registered_functions(const std::string& type) {
  const auto found = registry().functions.find(type);
  return found == registry().functions.end() ? Functions() : found->second;
}

std::unique_ptr<optiling::TilingDef> registered_tiling_data(const std::string& type) {
  const auto found = registry().tiling_data.find(type);
  return found == registry().tiling_data.end() ? nullptr : found->second();
}

std::vector<std::string> tiling_data_keys(const std::string& type) {
  std::vector<std::string> keys;
  for (const auto& entry : registry().tiling_data) {
    const std::string& name = entry.first;
    if (name.compare(0, type.size() + 1, type + "_") != 0) continue;
    const std::string key = name.substr(type.size() + 1);
    if (!key.empty() && key.find_first_not_of("0123456789") == std::string::npos) {
      keys.push_back(key);
    }
  }
  return keys;
}

const Template* registered_template(const std::string& type) {
  const auto found = registry().templates.find(type);
  return found == registry().templates.end() ? nullptr : &found->second;
}

bool RegisterTemplate(const char* op_type, TemplateSelection parameters) {
  registry().templates[op_type] = {std::move(parameters), {}};
  registry().last_template = op_type;
  return true;
}

bool RegisterTemplateSelections(std::vector<TemplateSelection> selections) {
  registry().templates[registry().last_template].selections = std::move(selections);
  return true;
}

std::uint64_t TemplateKey(const char* op_type, std::initializer_list<std::uint64_t> values) {
  const Template* declared = registered_template(op_type);
  if (declared == nullptr || declared->parameters.size() != values.size()) {
    throw std::invalid_argument(
        "GET_TPL_TILING_KEY takes a value for each template parameter of " + std::string(op_type) +
        ", " + std::to_string(declared == nullptr ? 0 : declared->parameters.size()) +
        "; it was given " + std::to_string(values.size()));
  }
  std::uint64_t key = 0;
  unsigned shift = 0;
  auto parameter = declared->parameters.begin();
  for (const std::uint64_t value : values) {
    if (parameter->bits == 0 || shift + parameter->bits > 64 ||
        value >> (parameter->bits - 1) > 1) {
      throw std::invalid_argument("GET_TPL_TILING_KEY of " + std::string(op_type) + ": " +
                                  parameter->name + " has " + std::to_string(parameter->bits) +
                                  " of 64 bits; its value is " + std::to_string(value));
    }
    key |= value << shift;
    shift += parameter->bits;
    ++parameter;
  }
  return key;
}

std::vector<std::uint64_t> ListedValues(const std::vector<std::uint64_t>& values) {
  if (values.empty()) return {};
  std::vector<std::uint64_t> listed;
  std::size_t at = 1;
  if (values[0] != ASCENDC_TPL_UI_LIST && values.size() > 1) {
    const std::uint64_t ranges = values[at++];
    for (std::uint64_t i = 0; i < ranges && at + 1 < values.size(); ++i, at += 2) {
      for (std::uint64_t value = values[at]; value <= values[at + 1]; ++value) {
        listed.push_back(value);
      }
    }
  }
  listed.insert(listed.end(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return listed;
}

std::vector<OperatorKernel> registered_kernels(std::string_view type) {
  std::vector<OperatorKernel> kernels;
  for (const OperatorKernel& kernel : registry().kernels) {
    if (kernel.op_type == type) kernels.push_back(kernel);
  }
  return kernels;
}

std::vector<std::string> take_registration_errors() {
  return std::exchange(registry().errors, {});
}

bool RegisterOperatorKernels(std::initializer_list<OperatorKernel> kernels) {
  auto& all = registry().kernels;
  all.insert(all.end(), kernels.begin(), kernels.end());
  return true;
}

}  // namespace davsim::op_host

namespace optiling {

bool RegisterTilingClass(const char* op_type, std::unique_ptr<TilingDef> (*make)()) {
  // A header with a registration may be included in several sources.
  auto& classes = davsim::op_host::registry().tiling_data;
  const auto known = classes.emplace(op_type, make);
  const std::string first = known.first->second()->GetTilingClassName();
  const std::string second = make()->GetTilingClassName();
  if (first != second) {
    davsim::op_host::registry().errors.push_back("tiling data of '" + std::string(op_type) +
                                                 "' is registered twice, as " + first + " and as " +
                                                 second);
  }
  return true;
}

}  // namespace optiling

namespace ops {

int OpDefFactory::OpDefRegister(const char* type, Creator creator) {
  if (!davsim::op_host::registry().operators.emplace(type, creator).second) {
    davsim::op_host::registry().errors.push_back("two operators are called '" + std::string(type) +
                                                 "'");
  }
  return 0;
}

}  // namespace ops

namespace gert {

using davsim::op_host::registry;

OpImplRegisterV2& OpImplRegisterV2::Tiling(TilingKernelFunc function, std::size_t capacity) {
  registry().functions[op_type_].tiling = function;
  registry().functions[op_type_].tiling_capacity = capacity;
  return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferShape(InferShapeKernelFunc function) {
  registry().functions[op_type_].infer_shape = function;
  return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferDataType(InferDataTypeKernelFunc function) {
  registry().functions[op_type_].infer_data_type = function;
  return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
  return InferDataType([](InferDataTypeContext* context) -> ge::graphStatus {
    const ge::DataType type = context->GetInputDataType(0);
    if (type == ge::DT_UNDEFINED) return ge::GRAPH_FAILED;
    for (std::size_t i = 0; i < context->GetComputeNodeOutputNum(); ++i) {
      context->SetOutputDataType(i, type);
    }
    return ge::GRAPH_SUCCESS;
  });
}

OpImplRegisterV2& OpImplRegisterV2::InputsDataDependency(
    std::initializer_list<std::int32_t> inputs) {
  for (const std::int32_t input : inputs) {
    if (input >= 0) {
      registry().functions[op_type_].value_inputs.insert(static_cast<std::size_t>(input));
    }
  }
  return *this;
}

OpImplRegisterV2& OpImplRegisterV2::Parse(ParseFunction function, CompileInfoMaker maker) {
  registry().functions[op_type_].parse = std::move(function);
  registry().functions[op_type_].make_compile_info = maker;
  return *this;
}

}  // namespace gert
