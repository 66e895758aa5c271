#include "runtime/operator_library/call_arguments.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "runtime/operator_library/info.hpp"

namespace davsim::op_library {
namespace {

namespace json = boost::json;
using op_host::Definition;
using op_host::Parameter;
using AttributeKind = ::ops::OpAttrDef::Kind;
using AttributeValue = ::ops::OpAttrDef::Value;

/// A value that has the attribute's type already.
AttributeValue attribute_value(AttributeKind kind, const json::value& value) {
  switch (kind) {
    case AttributeKind::kBool:
      return value.as_bool();
    case AttributeKind::kFloat:
      return value.to_number<double>();
    case AttributeKind::kInt:
      return value.to_number<std::int64_t>();
    case AttributeKind::kString:
      return std::string(value.as_string());
    case AttributeKind::kListBool:
      return json::value_to<std::vector<bool>>(value);
    case AttributeKind::kListFloat:
      return json::value_to<std::vector<double>>(value);
    case AttributeKind::kListInt:
      return json::value_to<std::vector<std::int64_t>>(value);
    case AttributeKind::kListListInt:
      return json::value_to<std::vector<std::vector<std::int64_t>>>(value);
    case AttributeKind::kNone:
      break;
  }
  return {};
}

bool takes(const Parameter& parameter, std::size_t column, const operators::Call& call) {
  const std::vector<operators::Tensor> tensors = tensors_of(call, parameter);
  return std::all_of(tensors.begin(), tensors.end(), [&](const operators::Tensor& tensor) {
    return data_type_of(tensor.dtype()) == parameter.types[column];
  });
}

}  // namespace

std::vector<operators::Tensor> tensors_of(const operators::Call& call, const Parameter& parameter) {
  if (parameter.kind != ::ops::DYNAMIC) {
    const auto found = call.tensors.find(parameter.name);
    if (found == call.tensors.end()) return {};
    return {found->second};
  }
  try {
    return operators::tensor_list(call, parameter.name);
  } catch (const operators::Refusal& refusal) {
    if (refusal.cls != operators::ErrorClass::kNull) throw;
    return {};
  }
}

std::optional<std::size_t> column_of(const Definition& definition, const operators::Call& call) {
  for (std::size_t column = 0; column < definition.columns; ++column) {
    const bool fits =
        std::all_of(definition.inputs.begin(), definition.inputs.end(),
                    [&](const Parameter& input) { return takes(input, column, call); });
    if (fits) return column;
  }
  return std::nullopt;
}

op_host::Arguments arguments_of(const Definition& definition, const operators::Call& call,
                                std::size_t column) {
  op_host::Arguments arguments;
  for (const Parameter& input : definition.inputs) {
    auto& instances = arguments.inputs.emplace_back();
    for (const operators::Tensor& tensor : tensors_of(call, input)) {
      if (tensor.shape().size() > gert::Shape::kMaxDimNum) {
        throw operators::Refusal(operators::ErrorClass::kRank,
                                 "a tensor of an operator has at most 25 dimensions",
                                 "a tensor of an operator has at most 25 dimensions; " +
                                     input.name + " has " + std::to_string(tensor.shape().size()));
      }
      instances.push_back(
          {input.types[column], input.formats[column], gert_shape(tensor.shape()), tensor.data()});
    }
  }
  for (const Parameter& output : definition.outputs) {
    arguments.outputs.push_back({{output.types[column], output.formats[column], {}, nullptr}});
  }
  for (const ::ops::OpAttrDef& attribute : definition.attributes) {
    const json::value* value = call.attributes.if_contains(attribute.name());
    arguments.attributes.push_back(value == nullptr ? AttributeValue()
                                                    : attribute_value(attribute.kind(), *value));
  }
  return arguments;
}

gert::Shape gert_shape(const operators::Shape& shape) {
  gert::Shape result;
  for (const std::int64_t size : shape) result.AppendDim(size);
  return result;
}

operators::Shape plain_shape(const gert::Shape& shape) {
  operators::Shape result;
  for (std::size_t i = 0; i < shape.GetDimNum(); ++i) result.push_back(shape.GetDim(i));
  return result;
}

}  // namespace davsim::op_library
