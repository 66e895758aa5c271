// What the first phase of an operator's function leaves to the second.
#pragma once

#include <memory>

#include "runtime/aclnn/bound_call.hpp"
#include "runtime/aclnn/executor.hpp"
#include "runtime/core/simulator.hpp"
#include "runtime/op_host/registry.hpp"
#include "runtime/op_host/tiling.hpp"

namespace davsim::runtime {

class OperatorExecutor final : public Executor {
 public:
  /// Runs the tiling function. Throws ApiError(561002) if it refuses the call, ApiError(561003) if
  /// there is no kernel for what it chose.
  OperatorExecutor(Simulator& simulator, BoundCall call);

  const std::string& type() const override { return call_.definition.type; }
  std::uint64_t workspace_bytes() const { return tiling_.workspace_bytes; }

  void launch(const std::shared_ptr<Stream>& stream, void* workspace, std::uint64_t bytes) override;

  /// Lets `place` say where each tensor lies.
  template <class Place>
  void place_tensors(const Place& place) {
    for (std::vector<BoundParameter>* parameters : {&call_.inputs, &call_.outputs}) {
      for (BoundParameter& tensors : *parameters) {
        for (BoundTensor& tensor : tensors) tensor = place(tensor);
      }
    }
  }

  bool set_address(const Place& place, const aclTensor* tensor, void* address) override;

 private:
  std::array<std::uint64_t, 2> contexts_on(std::uint32_t device) const;
  BoundTensor* tensor_at(const Place& place);
  Simulator& simulator_;
  BoundCall call_;
  op_host::Tiling tiling_;
  op_host::OperatorKernel kernel_{};
};

}  // namespace davsim::runtime
