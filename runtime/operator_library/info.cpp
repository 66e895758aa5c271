#include "runtime/operator_library/info.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <type_traits>
#include <utility>
#include <variant>

#include "graph/utils/type_utils.h"

namespace davsim::op_library {
namespace {

namespace json = boost::json;
using isa::DType;
using op_host::Definition;
using op_host::Parameter;
using AttributeKind = ::ops::OpAttrDef::Kind;

constexpr std::pair<ge::DataType, DType> kTypes[] = {
    {ge::DT_FLOAT16, DType::kF16}, {ge::DT_BF16, DType::kBF16},  {ge::DT_FLOAT, DType::kF32},
    {ge::DT_INT4, DType::kI4},     {ge::DT_INT8, DType::kI8},    {ge::DT_UINT8, DType::kU8},
    {ge::DT_INT16, DType::kI16},   {ge::DT_UINT16, DType::kU16}, {ge::DT_INT32, DType::kI32},
    {ge::DT_UINT32, DType::kU32},  {ge::DT_INT64, DType::kI64},  {ge::DT_UINT64, DType::kU64},
    {ge::DT_BOOL, DType::kBool},   {ge::DT_DOUBLE, DType::kF64},
};

constexpr std::pair<const char*, const char*> kProducts[] = {
    {"ascend910b", "A2"}, {"ascend910_93", "A3"}, {"ascend310p", "310P"}};

const char* attribute_type(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kBool:
      return "bool";
    case AttributeKind::kFloat:
      return "float";
    case AttributeKind::kInt:
      return "int";
    case AttributeKind::kString:
      return "string";
    case AttributeKind::kListBool:
      return "bool list";
    case AttributeKind::kListFloat:
      return "float list";
    case AttributeKind::kListInt:
      return "int list";
    case AttributeKind::kListListInt:
      return "int list list";
    case AttributeKind::kNone:
      break;
  }
  return "";
}

json::value json_of(const ::ops::OpAttrDef::Value& value) {
  return std::visit(
      [](const auto& held) -> json::value {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else {
          return json::value_from(held);
        }
      },
      value);
}

operators::AttributeSpec attribute_spec(const ::ops::OpAttrDef& def) {
  operators::AttributeSpec spec;
  spec.name = def.name();
  spec.type = attribute_type(def.kind());
  if (!def.required()) spec.def = json_of(def.value());
  return spec;
}

template <class T>
void add_once(std::vector<T>& all, const T& value) {
  if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
}

/// What a parameter takes on one more compute unit.
void add_columns(operators::TensorSpec& spec, const Parameter& parameter) {
  std::vector<std::string> formats;
  for (const ge::DataType type : parameter.types) {
    if (const auto dtype = dtype_of(type)) add_once(spec.dtypes, *dtype);
  }
  for (const ge::Format format : parameter.formats) {
    const std::string name =
        format == ge::FORMAT_FRACTAL_NZ ? "NZ" : ge::TypeUtils::FormatToSerialString(format);
    add_once(formats, name);
  }
  spec.format.clear();
  for (const std::string& name : formats) spec.format += (spec.format.empty() ? "" : " or ") + name;
}

operators::TensorSpec new_spec(const Parameter& parameter, bool output) {
  operators::TensorSpec spec;
  spec.name = parameter.name;
  spec.direction = output ? operators::Direction::kOut : operators::Direction::kIn;
  spec.shape = "any";
  spec.need = output ? "always" : parameter.kind == ::ops::OPTIONAL ? "optional" : "required";
  spec.list = parameter.kind == ::ops::DYNAMIC;
  if (spec.list) spec.doc = "one tensor or a list";
  return spec;
}

operators::TensorSpec& spec_named(operators::OperatorInfo& info, const Parameter& parameter,
                                  bool output) {
  for (operators::TensorSpec& spec : info.tensors) {
    if (spec.name == parameter.name) return spec;
  }
  return info.tensors.emplace_back(new_spec(parameter, output));
}

void add_unit(operators::OperatorInfo& info, const Definition& definition) {
  for (const Parameter& input : definition.inputs) {
    add_columns(spec_named(info, input, false), input);
  }
  for (const Parameter& output : definition.outputs) {
    operators::TensorSpec& spec = spec_named(info, output, true);
    if (output.input) spec.direction = operators::Direction::kInOut;
    add_columns(spec, output);
  }
}

}  // namespace

std::optional<DType> dtype_of(ge::DataType type) {
  for (const auto& [ge_type, dtype] : kTypes) {
    if (ge_type == type) return dtype;
  }
  return std::nullopt;
}

ge::DataType data_type_of(DType dtype) {
  for (const auto& [ge_type, own] : kTypes) {
    if (own == dtype) return ge_type;
  }
  return ge::DT_UNDEFINED;
}

operators::OperatorInfo info_of(const std::string& type) {
  const Definition any = op_host::definition_of(type, "");
  operators::OperatorInfo info;
  info.name = type;
  info.summary = "Operator of a library; its kernel is " + any.kernel + ".";
  for (const auto& [unit, product] : kProducts) {
    const auto& units = any.units;
    if (std::find(units.begin(), units.end(), unit) == units.end()) continue;
    info.products.emplace_back(product);
    add_unit(info, op_host::definition_of(type, unit));
  }
  if (info.products.empty()) {
    info.products.emplace_back("none of davsim's SoCs");
    add_unit(info, any);
  }
  for (const ::ops::OpAttrDef& attribute : any.attributes) {
    info.attributes.push_back(attribute_spec(attribute));
  }
  return info;
}

}  // namespace davsim::op_library
