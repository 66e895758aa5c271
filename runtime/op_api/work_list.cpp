#include "runtime/op_api/work_list.hpp"

#include <algorithm>

#include "runtime/aclnn/element_copy.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/core/device_copies.hpp"
#include "runtime/core/slot_call.hpp"
#include "runtime/op_host/elements.hpp"

namespace davsim::op_api {
namespace {

using runtime::ApiError;
using runtime::BoundTensor;
using runtime::Simulator;
using runtime::Stream;

/// Where blocks of the workspace begin, as those of aclrtMalloc do.
constexpr std::uint64_t kAlignment = 512;

std::uint64_t rounded(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::vector<BoundTensor> bound_views(const std::vector<const aclTensor*>& tensors) {
  std::vector<BoundTensor> all;
  for (const aclTensor* tensor : tensors) {
    all.push_back(tensor == nullptr ? BoundTensor{} : bound_view(*tensor));
  }
  return all;
}

}  // namespace

BoundTensor bound_view(const aclTensor& tensor) {
  BoundTensor bound = runtime::bound_without_shape(tensor);
  bound.shape = tensor.shape;
  bound.strides = tensor.strides;
  bound.origin = tensor.origin == nullptr ? &tensor : tensor.origin;
  return bound;
}

BoundTensor WorkList::placed(BoundTensor tensor) const {
  if (tensor.from_host) return tensor;
  if (tensor.storage != nullptr) {
    tensor.data = tensor.storage->address;
  } else if (const auto given = addresses_.find(tensor.origin); given != addresses_.end()) {
    tensor.data = given->second;
  }
  return tensor;
}

std::vector<BoundTensor> WorkList::there(std::vector<BoundTensor> tensors) const {
  for (BoundTensor& tensor : tensors) {
    tensor = placed(tensor);
    if (tensor.type == ge::DT_UNDEFINED) continue;  // none was given
    if (tensor.elements() == 0 || tensor.from_host) continue;
    runtime::require_place(Simulator::instance(), tensor, function_);
  }
  return tensors;
}

bool WorkList::set_address(const Place&, const aclTensor* tensor, void* address) {
  if (tensor == nullptr) return false;
  addresses_[tensor] = address;
  return true;
}

aclTensor* WorkList::tensor(const op::Shape& storage, const op::Shape& original, op::DataType type,
                            op::Format storage_format, op::Format original_format) {
  auto* const made = make<aclTensor>();
  made->SetViewShape(original);
  made->storage_shape = storage;
  made->original_shape = original;
  made->SetDataType(type);
  made->SetStorageFormat(storage_format);
  made->SetViewFormat(original_format);
  made->SetOriginalFormat(original_format);
  made->storage = std::make_shared<Storage>();
  in_workspace_.push_back(made);
  return made;
}

aclTensor* WorkList::host_tensor(const op::Shape& shape, op::DataType type, op::Format format) {
  aclTensor* const made = tensor(shape, shape, type, format, format);
  in_workspace_.pop_back();
  const std::int64_t bytes = ge::GetSizeInBytes(op_host::elements_of(shape).value_or(-1), type);
  if (bytes < 0) runtime::refuse_aclnn("a tensor of the host has sizes and a type");
  made->storage->on_host = true;
  made->storage->values.resize(static_cast<std::size_t>(bytes));
  return made;
}

aclTensor* WorkList::view(const aclTensor& of) {
  auto* const made = make<aclTensor>();
  *made = of;
  if (made->origin == nullptr) made->origin = &of;
  return made;
}

void WorkList::add(std::unique_ptr<runtime::OperatorExecutor> executor) {
  most_scratch_ = std::max(most_scratch_, executor->workspace_bytes());
  steps_.emplace_back([this, kept = std::shared_ptr<runtime::OperatorExecutor>(
                                 std::move(executor))](const std::shared_ptr<Stream>& stream) {
    kept->place_tensors([this](const BoundTensor& tensor) { return placed(tensor); });
    kept->launch(stream, scratch_, kept->workspace_bytes());
  });
}

void WorkList::add_copy(const aclTensor& to, const aclTensor& from) {
  steps_.emplace_back(
      [this, to = bound_view(to), from = bound_view(from)](const std::shared_ptr<Stream>& stream) {
        Simulator& simulator = Simulator::instance();
        const BoundTensor target = placed(to), source = placed(from);
        if (source.elements() == 0) return;
        runtime::require_place(simulator, target, "copied to");
        if (!source.from_host) runtime::require_place(simulator, source, "copied from");
        runtime::queue_copy(simulator, stream, target, source);
        simulator.memory().host_wrote(target.first(), target.span_bytes());
      });
}

void WorkList::add_zeros(const aclTensor& to) {
  steps_.emplace_back([this, to = bound_view(to)](const std::shared_ptr<Stream>& stream) {
    Simulator& simulator = Simulator::instance();
    const BoundTensor target = placed(to);
    if (target.elements() == 0) return;
    runtime::queue_zeros(simulator, stream, target);
    simulator.memory().host_wrote(target.first(), target.bytes());
  });
}

void WorkList::add_kernel(const KernelLaunch& launch) {
  steps_.emplace_back(
      [this, launch, tensors = bound_views(launch.tensors)](const std::shared_ptr<Stream>& stream) {
        Simulator& simulator = Simulator::instance();
        runtime::DeviceCopies copies(simulator, stream);
        std::vector<std::uint64_t> slots;
        for (const BoundTensor& tensor : there(tensors)) {
          slots.push_back(reinterpret_cast<std::uint64_t>(tensor.first()));
        }
        void* const tiling = copies.copy(launch.tiling.data(), launch.tiling.size());
        slots.push_back(reinterpret_cast<std::uint64_t>(tiling));
        isa::KernelEntry entry = isa::find_kernel(launch.kernel);
        entry.name = launch.name;
        const auto count = static_cast<std::uint32_t>(slots.size());
        simulator.launch(stream, {std::move(entry), launch.blocks, 0, std::move(slots),
                                  runtime::slot_call(count)});
      });
}

void WorkList::add_operation(const std::vector<const aclTensor*>& tensors, Operation operation) {
  steps_.emplace_back([this, bound = bound_views(tensors),
                       operation = std::move(operation)](const std::shared_ptr<Stream>& stream) {
    const std::vector<BoundTensor> tensors_there = there(bound);
    std::vector<std::uint64_t> addresses;
    for (const BoundTensor& tensor : tensors_there) {
      addresses.push_back(reinterpret_cast<std::uint64_t>(tensor.first()));
    }
    Simulator::instance().operate(
        stream,
        [operation, tensors_there](sim::Device& device) {
          return operation(device, tensors_there);
        },
        addresses);
  });
}

void WorkList::add_task(const std::vector<const aclTensor*>& to,
                        const std::vector<const aclTensor*>& from, HostTask task) {
  steps_.emplace_back([this, to = bound_views(to), from = bound_views(from),
                       task = std::move(task)](const std::shared_ptr<Stream>& stream) {
    Simulator& simulator = Simulator::instance();
    const std::vector<BoundTensor> targets = there(to), sources = there(from);
    simulator.queue_task(stream, [targets, sources, task] { task(targets, sources); });
    for (const BoundTensor& tensor : targets) {
      if (tensor.elements() == 0) continue;
      simulator.touched(*stream, tensor.first(), nullptr);
      simulator.memory().host_wrote(tensor.first(), tensor.span_bytes());
    }
    for (const BoundTensor& tensor : sources) {
      if (tensor.elements() > 0 && !tensor.from_host) {
        simulator.touched(*stream, nullptr, tensor.first());
      }
    }
  });
}

void WorkList::add_shape(const aclTensor& of, std::function<op::Shape()> shape) {
  auto* const tensor = const_cast<aclTensor*>(&of);
  steps_.emplace_back([tensor, shape = std::move(shape)](const std::shared_ptr<Stream>& stream) {
    Simulator& simulator = Simulator::instance();
    simulator.synchronise(*stream);
    if (!simulator.failure()) tensor->shape = shape();
  });
}

std::uint64_t WorkList::lay_out() {
  std::uint64_t bytes = 0;
  for (const aclTensor* tensor : in_workspace_) {
    const std::int64_t elements = std::max(op_host::elements_of(tensor->storage_shape).value_or(0),
                                           op_host::elements_of(tensor->shape).value_or(0));
    const std::int64_t own = ge::GetSizeInBytes(elements, tensor->GetDataType());
    tensor->storage->workspace_offset = bytes;
    tensor->storage->bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(own, 0));
    bytes += rounded(tensor->storage->bytes);
  }
  return bytes + rounded(most_scratch_);
}

void WorkList::launch(const std::shared_ptr<Stream>& stream, void* workspace, std::uint64_t bytes) {
  const std::uint64_t needed = lay_out();
  if (bytes < needed) {
    throw ApiError(ACLNN_ERR_PARAM_INVALID, "workspaceSize is " + std::to_string(bytes) +
                                                "; the first phase asked for " +
                                                std::to_string(needed));
  }
  auto* const start = static_cast<std::byte*>(workspace);
  if (needed > 0) {
    runtime::require_aclnn(workspace, "workspace");
    Simulator::instance().memory().require_room(workspace, needed, "workspace");
    for (const aclTensor* tensor : in_workspace_) {
      tensor->storage->address = start + tensor->storage->workspace_offset;
    }
    scratch_ = start + (needed - rounded(most_scratch_));
  }
  for (const Step& step : steps_) step(stream);
}

}  // namespace davsim::op_api
