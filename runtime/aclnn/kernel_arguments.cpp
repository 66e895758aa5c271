#include "runtime/aclnn/kernel_arguments.hpp"

#include <algorithm>

#include "runtime/aclnn/element_copy.hpp"
#include "runtime/op_host/elements.hpp"
#include "runtime/op_host/list_descriptor.hpp"

namespace davsim::runtime {
KernelArguments::KernelArguments(Simulator& simulator, const std::shared_ptr<Stream>& stream,
                                 const BoundCall& call, const op_host::Tiling& tiling,
                                 void* workspace)
    : simulator_(simulator), stream_(stream), copies_(simulator, stream) {
  const op_host::Definition& definition = call.definition;
  for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
    add_tensors(definition.inputs[i], call.inputs[i]);
  }
  for (std::size_t i = 0; i < definition.outputs.size(); ++i) {
    const op_host::Parameter& output = definition.outputs[i];
    const BoundParameter& tensors = output.input ? call.inputs[*output.input] : call.outputs[i];
    initialise(output, call.column, tensors);
    if (output.input) {
      slots_.push_back(slots_[*output.input]);
    } else {
      add_tensors(output, tensors);
    }
  }
  add(workspace);
  const std::uint64_t bytes = tiling.data.size() * sizeof(std::uint64_t);
  add(bytes == 0 ? nullptr : copies_.copy(tiling.data.data(), bytes));
}

void KernelArguments::add_tensors(const op_host::Parameter& parameter,
                                  const BoundParameter& tensors) {
  op_host::ParameterArgument placed;
  for (const BoundTensor& tensor : tensors) {
    placed.push_back(
        {tensor.type, tensor.format, tensor.shape, address_of(tensor, parameter.name)});
  }
  const bool list = parameter.kind == ::ops::DYNAMIC || parameter.scalar_list;
  if (!list) return add(placed.empty() ? nullptr : placed.front().data);
  for (const op_host::TensorArgument& tensor : placed) {
    members_.push_back(reinterpret_cast<std::uint64_t>(tensor.data));
  }
  const std::vector<std::uint64_t> words = op_host::list_descriptor(placed);
  add(copies_.copy(words.data(), words.size() * sizeof(std::uint64_t)));
}

void* KernelArguments::address_of(const BoundTensor& tensor, const std::string& name) {
  if (tensor.from_host) {
    // An empty array still has an address.
    return copies_.copy(tensor.values.data(), tensor.values.size());
  }
  if (tensor.elements() == 0) return tensor.data;
  require_place(simulator_, tensor, name);
  return tensor.strides.empty() ? tensor.first() : packed(tensor);
}

void* KernelArguments::packed(const BoundTensor& tensor) {
  BoundTensor to = tensor;
  to.strides.clear();
  to.offset = 0;
  to.data = copies_.block(tensor.bytes());
  queue_copy(simulator_, stream_, to, tensor);
  return to.data;
}

void KernelArguments::initialise(const op_host::Parameter& output, std::size_t column,
                                 const BoundParameter& tensors) {
  if (output.init.empty()) return;
  const double value = output.init[std::min(column, output.init.size() - 1)];
  for (const BoundTensor& tensor : tensors) {
    if (tensor.elements() == 0) continue;
    void* const to = address_of(tensor, output.name);
    simulator_.queue_on(stream_, [=, count = tensor.elements(), type = tensor.type] {
      op_host::fill_elements(to, count, type, value);
      return Demand{};
    });
  }
}

}  // namespace davsim::runtime
