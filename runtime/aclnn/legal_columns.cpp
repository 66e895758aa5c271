#include "runtime/aclnn/legal_columns.hpp"

#include <algorithm>

#include "graph/utils/type_utils.h"
#include "opdev/common_types.h"
#include "runtime/core/api_error.hpp"
#include "runtime/op_host/elements.hpp"

namespace davsim::runtime {
namespace {

using op_host::Definition;
using op_host::Parameter;

/// Formats that say how elements lie; the others name axes of the same layout.
bool has_own_layout(ge::Format format) {
  return format == ge::FORMAT_FRACTAL_NZ || format == ge::FORMAT_NC1HWC0 ||
         format == ge::FORMAT_FRACTAL_Z || format == ge::FORMAT_NDC1HWC0;
}

bool same_layout(ge::Format a, ge::Format b) {
  return a == b || (!has_own_layout(a) && !has_own_layout(b));
}

bool takes(const Parameter& parameter, std::size_t column, const BoundParameter& tensors) {
  if (parameter.scalar || parameter.scalar_list) return true;
  return std::all_of(tensors.begin(), tensors.end(), [&](const BoundTensor& tensor) {
    return tensor.type == parameter.types[column] &&
           same_layout(tensor.format, parameter.formats[column]);
  });
}

bool takes(const BoundCall& call, std::size_t column) {
  const Definition& definition = call.definition;
  for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
    if (!takes(definition.inputs[i], column, call.inputs[i])) return false;
  }
  for (std::size_t i = 0; i < definition.outputs.size(); ++i) {
    if (!takes(definition.outputs[i], column, call.outputs[i])) return false;
  }
  return true;
}

std::string text_of(const std::string& name, ge::DataType type, ge::Format format) {
  std::string text = name + " " + ge::TypeUtils::DataTypeToSerialString(type);
  if (has_own_layout(format)) text += " " + ge::TypeUtils::FormatToSerialString(format);
  return text;
}

/// Applies `f` to every parameter that has a type of its own, with its tensors.
template <class F>
void for_each_parameter(const BoundCall& call, const F& f) {
  const Definition& definition = call.definition;
  for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
    if (definition.inputs[i].scalar || definition.inputs[i].scalar_list) continue;
    f(definition.inputs[i], call.inputs[i]);
  }
  for (std::size_t i = 0; i < definition.outputs.size(); ++i) {
    if (!definition.outputs[i].input) f(definition.outputs[i], call.outputs[i]);
  }
}

std::string columns_text(const BoundCall& call) {
  std::string text;
  for (std::size_t column = 0; column < call.definition.columns; ++column) {
    std::string types;
    for_each_parameter(call, [&](const Parameter& parameter, const BoundParameter&) {
      types += (types.empty() ? "" : ", ") +
               text_of(parameter.name, parameter.types[column], parameter.formats[column]);
    });
    text += (column > 0 ? " or " : "") + types;
  }
  return text;
}

std::string types_text(const BoundCall& call) {
  std::string text;
  for_each_parameter(call, [&](const Parameter& parameter, const BoundParameter& tensors) {
    for (const BoundTensor& tensor : tensors) {
      text += (text.empty() ? "" : ", ") + text_of(parameter.name, tensor.type, tensor.format);
    }
  });
  return text;
}

void convert(BoundTensor& scalar, ge::DataType type, const std::string& name) {
  const double number =
      op_api::number_of(static_cast<aclDataType>(scalar.type), scalar.values.data());
  // Room for an element of any type.
  alignas(16) std::byte element[16] = {};
  if (!op_host::fill_elements(element, 1, type, number)) {
    throw ApiError(ACLNN_ERR_PARAM_INVALID, "scalar " + name + " has no number of type " +
                                                ge::TypeUtils::DataTypeToSerialString(type));
  }
  scalar.type = type;
  scalar.values.assign(element, element + scalar.bytes());
}

}  // namespace

void choose_column(BoundCall& call) {
  const Definition& definition = call.definition;
  std::size_t column = 0;
  while (column < definition.columns && !takes(call, column)) ++column;
  if (column == definition.columns) {
    throw ApiError(ACLNN_ERR_PARAM_INVALID, "the types of " + definition.type + " are " +
                                                columns_text(call) + "; found " + types_text(call));
  }
  call.column = column;
  for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
    if (!definition.inputs[i].scalar && !definition.inputs[i].scalar_list) continue;
    for (BoundTensor& scalar : call.inputs[i]) {
      convert(scalar, definition.inputs[i].types[column], definition.inputs[i].name);
    }
  }
}

}  // namespace davsim::runtime
