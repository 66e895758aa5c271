#include "runtime/aclnn/bound_call.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "graph/utils/type_utils.h"
#include "opdev/common_types.h"
#include "runtime/aclnn/legal_columns.hpp"
#include "runtime/aclnn/operator_call.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::runtime {

BoundTensor bound_without_shape(const aclTensor& tensor) {
  BoundTensor result;
  result.type = static_cast<ge::DataType>(tensor.type);
  result.format = static_cast<ge::Format>(tensor.format);
  result.offset = static_cast<std::uint64_t>(tensor.offset);
  result.data = tensor.data;
  result.storage = tensor.storage;
  if (tensor.storage != nullptr && tensor.storage->on_host) {
    result.from_host = true;
    result.values = tensor.storage->values;
  }
  return result;
}

namespace {

using op_host::Definition;
using op_host::Parameter;
using AttributeKind = ::ops::OpAttrDef::Kind;
using AttributeValue = ::ops::OpAttrDef::Value;

[[noreturn]] void missing(const std::string& name) {
  throw ApiError(ACLNN_ERR_PARAM_NULLPTR, name + " is a null pointer");
}

bool has_own_layout(aclFormat format) {
  return format == ACL_FORMAT_FRACTAL_NZ || format == ACL_FORMAT_NC1HWC0 ||
         format == ACL_FORMAT_FRACTAL_Z || format == ACL_FORMAT_NDC1HWC0;
}

BoundTensor bound(const aclTensor& tensor, const Parameter& parameter) {
  BoundTensor result = bound_without_shape(tensor);
  if (has_own_layout(tensor.format)) {
    result.shape = tensor.storage_shape;
    return result;
  }
  result.shape = tensor.shape;
  if (tensor.is_contiguous()) return result;
  if (parameter.ignore_contiguous) {
    result.ignored_strides = tensor.strides;
    return result;
  }
  if (!parameter.auto_contiguous) {
    refuse_aclnn("the elements of " + parameter.name +
                 " follow each other in memory, because the operator does not declare it "
                 "AutoContiguous; the tensor has strides");
  }
  result.strides = tensor.strides;
  return result;
}

template <class T>
BoundTensor host_values(const std::vector<T>& values, ge::DataType type) {
  BoundTensor result;
  result.type = type;
  result.from_host = true;
  result.shape.AppendDim(static_cast<std::int64_t>(values.size()));
  result.values.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(result.values.data(), values.data(), result.values.size());
  return result;
}

/// A scalar as one element. The operator's type of it is known once the column is.
BoundTensor host_scalar(const aclScalar& scalar) {
  BoundTensor result;
  result.type = static_cast<ge::DataType>(scalar.type);
  result.from_host = true;
  result.values.assign(scalar.value.begin(), scalar.value.end());
  return result;
}

template <class Object>
const Object* object(const DavsimArgument& argument) {
  return static_cast<const Object*>(argument.object);
}

/// The tensors of an argument; none if it is missing.
BoundParameter bound(const DavsimArgument& argument, const Parameter& parameter) {
  BoundParameter tensors;
  if (argument.object == nullptr) {
    if (parameter.kind == ::ops::REQUIRED) missing(parameter.name);
    return tensors;
  }
  const auto each = [&parameter](const auto& list, const auto& add) {
    for (const auto* member : list) {
      if (member == nullptr) missing("a tensor of the list " + parameter.name);
      add(*member);
    }
  };
  switch (argument.kind) {
    case DAVSIM_TENSOR:
      tensors.push_back(bound(*object<aclTensor>(argument), parameter));
      break;
    case DAVSIM_TENSOR_LIST:
      each(object<aclTensorList>(argument)->values,
           [&](const aclTensor& tensor) { tensors.push_back(bound(tensor, parameter)); });
      break;
    case DAVSIM_SCALAR:
      tensors.push_back(host_scalar(*object<aclScalar>(argument)));
      break;
    case DAVSIM_SCALAR_LIST:
      each(object<aclScalarList>(argument)->values,
           [&](const aclScalar& scalar) { tensors.push_back(host_scalar(scalar)); });
      break;
    case DAVSIM_INT_ARRAY:
      tensors.push_back(host_values(object<aclIntArray>(argument)->values, ge::DT_INT64));
      break;
    case DAVSIM_FLOAT_ARRAY:
      tensors.push_back(host_values(object<aclFloatArray>(argument)->values, ge::DT_FLOAT));
      break;
    case DAVSIM_BOOL_ARRAY:
      tensors.push_back(host_values(object<aclBoolArray>(argument)->values, ge::DT_BOOL));
      break;
    default:
      refuse_aclnn("the function passes " + parameter.name + " as no tensor");
  }
  return tensors;
}

AttributeValue value_of(const DavsimArgument& argument, const ::ops::OpAttrDef& attribute) {
  switch (argument.kind) {
    case DAVSIM_INT:
      return argument.whole;
    case DAVSIM_FLOAT:
      return argument.real;
    case DAVSIM_BOOL:
      return argument.whole != 0;
    default:
      break;
  }
  if (argument.object == nullptr) {
    if (attribute.required()) missing(attribute.name());
    return {};
  }
  switch (argument.kind) {
    case DAVSIM_STRING:
      return std::string(object<char>(argument));
    case DAVSIM_INT_ARRAY:
      return object<aclIntArray>(argument)->values;
    case DAVSIM_FLOAT_ARRAY: {
      const auto& values = object<aclFloatArray>(argument)->values;
      return std::vector<double>(values.begin(), values.end());
    }
    case DAVSIM_BOOL_ARRAY: {
      const auto& values = object<aclBoolArray>(argument)->values;
      return std::vector<bool>(values.begin(), values.end());
    }
    default:
      refuse_aclnn("the function passes attribute " + attribute.name() + " as something else");
  }
}

/// Gives the arguments one after the other.
class ArgumentList {
 public:
  ArgumentList(const DavsimArgument* arguments, std::size_t count)
      : next_(arguments), end_(arguments + count) {}
  const DavsimArgument& next() {
    if (next_ == end_) refuse_aclnn("the function passes fewer arguments than the operator has");
    return *next_++;
  }
  bool done() const { return next_ == end_; }

 private:
  const DavsimArgument *next_, *end_;
};

op_host::ParameterArgument plain(const BoundParameter& tensors) {
  op_host::ParameterArgument arguments;
  for (const BoundTensor& tensor : tensors) {
    const void* data = tensor.from_host         ? tensor.values.data()
                       : tensor.data == nullptr ? nullptr
                                                : tensor.first();
    arguments.push_back({tensor.type, tensor.format, tensor.shape, data, tensor.ignored_strides,
                         static_cast<std::int64_t>(tensor.offset)});
  }
  return arguments;
}

}  // namespace

bool has_parameter(const ::ops::OpAttrDef& attribute) {
  return attribute.kind() != AttributeKind::kListListInt &&
         attribute.kind() != AttributeKind::kNone;
}

std::uint64_t BoundTensor::bytes() const {
  const std::int64_t bytes = ge::GetSizeInBytes(shape.GetShapeSize(), type);
  return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

std::uint64_t BoundTensor::span_bytes() const {
  if (strides.empty() || elements() == 0) return bytes();
  std::int64_t last = 0;
  for (std::size_t i = 0; i < strides.size(); ++i) last += (shape.GetDim(i) - 1) * strides[i];
  return static_cast<std::uint64_t>(ge::GetSizeInBytes(last + 1, type));
}

std::byte* BoundTensor::first() const {
  const std::int64_t bytes = ge::GetSizeInBytes(static_cast<std::int64_t>(offset), type);
  return static_cast<std::byte*>(data) + std::max<std::int64_t>(bytes, 0);
}

op_host::Arguments BoundCall::arguments() const {
  op_host::Arguments all;
  for (const BoundParameter& input : inputs) all.inputs.push_back(plain(input));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::optional<std::size_t> input = definition.outputs[i].input;
    all.outputs.push_back(plain(input ? inputs[*input] : outputs[i]));
  }
  all.attributes = attributes;
  return all;
}

BoundCall bind_call(op_host::Definition definition, const DavsimArgument* arguments,
                    std::size_t count) {
  BoundCall call;
  ArgumentList list(arguments, count);
  for (const Parameter& input : definition.inputs) call.inputs.push_back(bound(list.next(), input));
  for (const ::ops::OpAttrDef& attribute : definition.attributes) {
    call.attributes.push_back(has_parameter(attribute) ? value_of(list.next(), attribute)
                                                       : AttributeValue());
  }
  for (const Parameter& output : definition.outputs) {
    call.outputs.push_back(output.input ? BoundParameter() : bound(list.next(), output));
    for (const BoundTensor& tensor : call.outputs.back()) {
      if (!tensor.strides.empty()) refuse_aclnn("output " + output.name + " has strides");
    }
  }
  if (!list.done()) refuse_aclnn("the function passes more arguments than the operator has");
  call.definition = std::move(definition);
  choose_column(call);
  return call;
}

}  // namespace davsim::runtime
