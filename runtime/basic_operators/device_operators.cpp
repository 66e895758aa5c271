#include "runtime/basic_operators/device_operators.hpp"

#include <algorithm>
#include <memory>

#include "kernels/registry/operator.hpp"
#include "opdev/shape_utils.h"
#include "runtime/aclnn/element_types.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/core/simulator.hpp"

namespace davsim::basic {
namespace {

using operators::ErrorClass;
using operators::Refusal;
using operators::TensorMap;
using runtime::ApiError;
using runtime::BoundTensor;

[[noreturn]] void refuse(const Refusal& refusal) {
  throw ApiError(
      refusal.cls == ErrorClass::kNull ? ACLNN_ERR_PARAM_NULLPTR : ACLNN_ERR_PARAM_INVALID,
      std::string(operators::error_class_name(refusal.cls)) + ": " + refusal.what());
}

operators::Tensor tensor_at(std::byte* start, DataType type, const Shape& shape) {
  const op::ShapeVector sizes = op::ToShapeVector(shape);
  return operators::Tensor::at(start, runtime::element_type(op::ToAclDataType(type)),
                               memory::Shape(sizes.begin(), sizes.end()));
}

bool is_given(const OperatorTensor& tensor) {
  return tensor.tensor != nullptr && !tensor.tensor->IsEmpty();
}

void require_element(const OperatorTensor& given) {
  const DataType type = given.tensor->GetDataType();
  if (runtime::element_type(op::ToAclDataType(type)) != isa::DType::kNone) return;
  runtime::refuse_aclnn(std::string(given.parameter) + " is " + text(type) +
                        ", which davsim's operators do not have");
}

/// The names of the inputs that are given.
std::vector<std::string> given_inputs(const OperatorCall& call) {
  std::vector<std::string> names;
  for (const OperatorTensor& input : call.inputs) {
    if (is_given(input)) names.push_back(input.name);
  }
  return names;
}

/// The call with the tensors where they lie.
operators::Call call_of(const std::vector<std::string>& names,
                        const boost::json::object& attributes,
                        const std::vector<operators::Tensor>& inputs) {
  operators::Call made;
  made.attributes = attributes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    made.tensors.insert_or_assign(names[i], inputs[i]);
  }
  return made;
}

/// Throws for what breaks a rule. Values of tensors may come later.
operators::Call checked(const operators::Operator& op, const OperatorCall& call) {
  std::vector<operators::Tensor> inputs;
  for (const OperatorTensor& input : call.inputs) {
    if (!is_given(input)) continue;
    require_element(input);
    const aclTensor& tensor = *input.tensor;
    auto* const start = static_cast<std::byte*>(tensor.GetData());
    if (start == nullptr && tensor.storage == nullptr) {
      runtime::require_aclnn(nullptr, input.parameter);
    }
    inputs.push_back(tensor_at(start, tensor.GetDataType(), tensor.GetViewShape()));
  }
  operators::Call made = call_of(given_inputs(call), call.attributes, inputs);
  try {
    return operators::validated(op, made, runtime::Simulator::instance().soc());
  } catch (const Refusal& refusal) {
    if (refusal.cls != ErrorClass::kIndex) refuse(refusal);
  }
  // With the defaults of the attributes, as infer() takes it.
  for (const operators::AttributeSpec& attribute : op.info().attributes) {
    if (attribute.def) made.attributes.emplace(attribute.name, *attribute.def);
  }
  return made;
}

/// The tensor that the operator writes a result of this kind to.
const aclTensor* place_of(WorkList& work, const OperatorCall& call,
                          const operators::TensorShape& made) {
  const auto found =
      std::find_if(call.outputs.begin(), call.outputs.end(),
                   [&](const OperatorTensor& output) { return output.name == made.name; });
  Shape shape;
  for (const std::int64_t size : made.shape) shape.AppendDim(size);
  const DataType type = op::ToOpDataType(runtime::acl_type(made.dtype));
  const bool wanted = found != call.outputs.end() && is_given(*found);
  if (!wanted) return temporary(work, type, shape);
  const aclTensor& given = *found->tensor;
  require_type(given, found->parameter, {type});
  if (given.Numel() < shape.GetShapeSize()) {
    runtime::refuse_aclnn(std::string(found->parameter) + " has the shape " + text(shape) +
                          ", not " + text(given.GetViewShape()));
  }
  if (!given.is_contiguous()) {
    runtime::refuse_aclnn(std::string(found->parameter) +
                          " has elements that do not follow each other");
  }
  return &given;
}

/// What the second phase runs. The program may have destroyed its tensors by then.
struct Run {
  const operators::Operator& op;
  std::vector<std::string> names;  ///< of the inputs that are given
  boost::json::object attributes;
  std::vector<operators::TensorShape> results;

  /// `tensors` are the inputs that are given, and then the results.
  observe::LaunchReport operator()(sim::Device& device,
                                   std::span<const BoundTensor> tensors) const {
    std::vector<operators::Tensor> placed;
    for (const BoundTensor& tensor : tensors) {
      placed.push_back(tensor_at(tensor.first(), tensor.type, tensor.shape));
    }
    const std::size_t inputs = placed.size() - results.size();
    try {
      const operators::Call made =
          operators::validated(op, call_of(names, attributes, placed), device.soc());
      TensorMap outputs;
      for (std::size_t i = 0; i < results.size(); ++i) {
        outputs.insert_or_assign(results[i].name,
                                 placed[inputs + i].view(results[i].dtype, results[i].shape));
      }
      return op.launch(made, outputs, device);
    } catch (const Refusal& refusal) {
      refuse(refusal);
    }
  }
};

}  // namespace

void OperatorCall::add_list(const std::string& of, const aclTensorList* list,
                            const char* parameter) {
  if (list == nullptr) return inputs.push_back({of, nullptr, parameter});
  if (list->Size() == 1) return inputs.push_back({of, (*list)[0], parameter});
  for (std::uint64_t i = 0; i < list->Size(); ++i) {
    inputs.push_back({of + "." + std::to_string(i), (*list)[i], parameter});
  }
}

void add_device_operator(WorkList& work, const OperatorCall& given) {
  const operators::Operator& op = operators::find_operator(given.name);
  const operators::Call call = checked(op, given);
  std::vector<const aclTensor*> tensors;
  for (const OperatorTensor& input : given.inputs) {
    if (!is_given(input)) continue;
    const auto* const spec = operators::find_tensor(op.info(), input.name);
    if (spec != nullptr && spec->direction == operators::Direction::kInOut &&
        !input.tensor->is_contiguous()) {
      runtime::refuse_aclnn(std::string(input.parameter) +
                            " has elements that do not follow each other");
    }
    tensors.push_back(as(work, *input.tensor, input.tensor->GetDataType()));
  }
  Run run{op, given_inputs(given), given.attributes, op.infer(call)};
  for (const operators::TensorShape& result : run.results) {
    tensors.push_back(place_of(work, given, result));
  }
  work.add_operation(tensors, std::move(run));
}

}  // namespace davsim::basic
