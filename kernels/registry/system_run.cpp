// Calls of operators that run on several dies.
#include <new>
#include <numeric>
#include <utility>

#include "isa/core/named_registry.hpp"
#include "kernels/registry/system_operator.hpp"

namespace davsim::operators {
namespace {

isa::NamedRegistry<std::unique_ptr<SystemOperator>>& system_registry() {
  static isa::NamedRegistry<std::unique_ptr<SystemOperator>> operators("operator of several dies");
  return operators;
}

TensorMap allocate_outputs_of_rank(const SystemOperator& op, const SystemCall& call,
                                   std::uint32_t rank, sim::Device& device) {
  memory::GlobalMemory& memory = device.memory(rank);
  TensorMap outputs;
  for (const TensorShape& output : op.infer(call, rank, device.soc())) {
    try {
      const Tensor tensor(memory, output.dtype, output.shape, output.name);
      if (tensor.bytes() > 0) memory.declare_unwritten(tensor.data());
      outputs.emplace(output.name, tensor);
    } catch (const std::bad_alloc&) {
      const std::string rule = "the tensors of a call fit in the SoC's global memory";
      throw Refusal(ErrorClass::kShape, rule,
                    rule + "; no room is left for output " + output.name + " of shape " +
                        to_string(output.shape) + " on rank " + std::to_string(rank));
    }
  }
  return outputs;
}

}  // namespace

SystemOperatorRegistrar::SystemOperatorRegistrar(std::unique_ptr<SystemOperator> op) {
  const std::string name = op->info().name;
  system_registry().add(name, std::move(op));
}

const SystemOperator* find_system_operator(std::string_view name) {
  const auto* found = system_registry().find(name);
  return found == nullptr ? nullptr : found->get();
}

std::vector<const SystemOperator*> all_system_operators() {
  std::vector<const SystemOperator*> all;
  for (const auto& entry : system_registry().entries()) all.push_back(entry.second.get());
  return all;
}

SystemCall validated(const SystemOperator& op, SystemCall call, const sim::SocConfig& soc) {
  const auto ranks = static_cast<std::uint32_t>(call.size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const CallRules rules = {
        op.info(), {}, [&](const Call& part) { op.validate(part, soc, rank, ranks); }};
    try {
      call[rank] = validated(rules, std::move(call[rank]), soc);
    } catch (const Refusal& refusal) {
      throw Refusal(refusal.cls, refusal.rule,
                    std::string(refusal.what()) + " (rank " + std::to_string(rank) + ")");
    }
  }
  op.validate_together(call, soc);
  return call;
}

SystemRunResult run(const SystemOperator& op, SystemCall call, sim::Device& device) {
  const SystemCall good = validated(op, std::move(call), device.soc());
  SystemRunResult result;
  for (std::uint32_t rank = 0; rank < good.size(); ++rank) {
    result.outputs.push_back(allocate_outputs_of_rank(op, good, rank, device));
  }
  std::vector<std::uint32_t> dies(good.size());
  std::iota(dies.begin(), dies.end(), 0);
  result.reports = op.launch(good, result.outputs, device, dies);
  for (std::uint32_t rank = 0; rank < good.size(); ++rank) {
    for (const TensorSpec& spec : op.info().tensors) {
      const auto found = good[rank].tensors.find(spec.name);
      if (spec.direction == Direction::kInOut && found != good[rank].tensors.end()) {
        result.outputs[rank].insert_or_assign(spec.name, found->second);
      }
    }
  }
  return result;
}

}  // namespace davsim::operators
