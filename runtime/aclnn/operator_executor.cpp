#include "runtime/aclnn/operator_executor.hpp"

#include <algorithm>

#include "runtime/aclnn/kernel_arguments.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/core/communicators.hpp"
#include "runtime/core/core_limits.hpp"
#include "runtime/core/slot_call.hpp"
#include "runtime/op_host/elements.hpp"
#include "runtime/op_host/kernel_choice.hpp"
#include "runtime/op_host/platform.hpp"

namespace davsim::runtime {
namespace {

using op_host::Parameter;

/// The tiling function may read elements that lie on the device.
void settle_values(Simulator& simulator, const BoundCall& call) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const BoundParameter& tensors = call.inputs[i];
    if (!call.definition.inputs[i].value_depend) continue;
    if (std::all_of(tensors.begin(), tensors.end(), [](const auto& t) { return t.from_host; })) {
      continue;
    }
    simulator.synchronise_all();
    return;
  }
}

}  // namespace

OperatorExecutor::OperatorExecutor(Simulator& simulator, BoundCall call)
    : simulator_(simulator), call_(std::move(call)) {
  settle_values(simulator, call_);
  const sim::SocConfig& soc = simulator.soc();
  try {
    tiling_ =
        op_host::run_tiling(call_.definition, call_.arguments(),
                            op_host::platform_of(soc, cores_of_thread(ACL_RT_DEV_RES_CUBE_CORE),
                                                 cores_of_thread(ACL_RT_DEV_RES_VECTOR_CORE)));
    kernel_ = op_host::kernel_for(call_.definition, op_host::compute_unit_of(soc), call_.column,
                                  tiling_.key);
  } catch (const op_host::FunctionError& error) {
    throw ApiError(ACLNN_ERR_INNER_TILING_ERROR, error.what());
  } catch (const op_host::KernelMissing& error) {
    throw ApiError(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, error.what());
  }
}

void OperatorExecutor::launch(const std::shared_ptr<Stream>& stream, void* workspace,
                              std::uint64_t bytes) {
  if (bytes < tiling_.workspace_bytes) {
    throw ApiError(ACLNN_ERR_PARAM_INVALID, "workspaceSize is " + std::to_string(bytes) +
                                                "; the first phase asked for " +
                                                std::to_string(tiling_.workspace_bytes));
  }
  if (tiling_.workspace_bytes > 0 && workspace == nullptr) {
    throw ApiError(ACLNN_ERR_PARAM_NULLPTR, "workspace is a null pointer");
  }
  if (tiling_.workspace_bytes > 0) {
    simulator_.memory().require_room(workspace, tiling_.workspace_bytes, "workspace");
  }
  KernelArguments arguments(simulator_, stream, call_, tiling_,
                            tiling_.workspace_bytes > 0 ? workspace : nullptr);
  const std::vector<std::uint64_t>& slots = arguments.slots();
  const SlotCall function = slot_call(static_cast<std::uint32_t>(slots.size()));
  if (function == nullptr) {
    throw ApiError(ACLNN_ERR_PARAM_INVALID, "a kernel has at most " + std::to_string(kMostWords) +
                                                " parameters; " + call_.definition.kernel +
                                                " has " + std::to_string(slots.size()));
  }
  isa::KernelEntry entry = isa::find_kernel(kernel_.kernel);
  entry.name = kernel_.name;
  Launch launch{std::move(entry), tiling_.block_dim, tiling_.key, slots, function};
  launch.contexts = contexts_on(static_cast<std::uint32_t>(stream->context->device));
  simulator_.launch(stream, std::move(launch));
  simulator_.touched(*stream, arguments.members().data(), arguments.members().size());
}

/// Of the communicators that the operator's attributes name.
std::array<std::uint64_t, 2> OperatorExecutor::contexts_on(std::uint32_t device) const {
  std::array<std::uint64_t, 2> contexts{};
  const std::vector<std::string>& groups = call_.definition.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto attribute =
        std::find_if(call_.definition.attributes.begin(), call_.definition.attributes.end(),
                     [&](const ::ops::OpAttrDef& other) { return other.name() == groups[i]; });
    const auto number = static_cast<std::size_t>(attribute - call_.definition.attributes.begin());
    const auto* const name = std::get_if<std::string>(&call_.attributes[number]);
    if (name == nullptr || name->empty()) continue;  // the second one may be none
    const CommunicatorRank* const rank = HostCommunicators::instance().named(*name, device);
    if (rank == nullptr) {
      throw ApiError(ACLNN_ERR_PARAM_INVALID, groups[i] + " is '" + *name + "', of which device " +
                                                  std::to_string(device) + " has no rank");
    }
    contexts[i] = simulator_.communicators()->named(*name)->contexts[rank->rank];
  }
  return contexts;
}

BoundTensor* OperatorExecutor::tensor_at(const Place& place) {
  std::vector<BoundParameter*> parameters;
  const auto take = [&](std::vector<BoundParameter>& from) {
    for (BoundParameter& parameter : from) parameters.push_back(&parameter);
  };
  if (place.among != Place::Among::kOutputs) take(call_.inputs);
  if (place.among != Place::Among::kInputs) take(call_.outputs);
  if (place.in_list) {
    if (place.index >= parameters.size()) return nullptr;
    BoundParameter& list = *parameters[place.index];
    return *place.in_list < list.size() ? &list[*place.in_list] : nullptr;
  }
  std::size_t index = place.index;
  for (BoundParameter* const tensors : parameters) {
    if (index < tensors->size()) return &(*tensors)[index];
    index -= tensors->size();
  }
  return nullptr;
}

bool OperatorExecutor::set_address(const Place& place, const aclTensor*, void* address) {
  BoundTensor* const bound = tensor_at(place);
  if (bound == nullptr || bound->from_host) return false;
  bound->data = address;
  return true;
}

}  // namespace davsim::runtime
