// What the first phase of an operator's function leaves to the second.
#pragma once

#include <memory>

#include "runtime/aclnn/bound_call.hpp"
#include "runtime/aclnn_objects.hpp"
#include "runtime/core/simulator.hpp"
#include "runtime/op_host/registry.hpp"
#include "runtime/op_host/tiling.hpp"

namespace davsim::runtime {

class OperatorExecutor final : public aclOpExecutor {
 public:
  /// Runs the tiling function. Throws ApiError(561002) if it refuses the call, ApiError(561003) if
  /// there is no kernel for what it chose.
  OperatorExecutor(Simulator& simulator, BoundCall call);
  ~OperatorExecutor() override;

  /// Whether an executor lives at the address: programs may use one twice.
  static bool lives(const aclOpExecutor* executor);

  const std::string& type() const { return call_.definition.type; }
  std::uint64_t workspace_bytes() const { return tiling_.workspace_bytes; }

  /// Queues the kernel on a stream. Throws ApiError.
  void launch(const std::shared_ptr<Stream>& stream, void* workspace, std::uint64_t bytes);

  bool set_address(std::size_t index, aclTensor* tensor, void* address) override;

 private:
  std::array<std::uint64_t, 2> contexts_on(std::uint32_t device) const;
  BoundTensor* tensor_at(std::size_t index);
  Simulator& simulator_;
  BoundCall call_;
  op_host::Tiling tiling_;
  op_host::OperatorKernel kernel_{};
};

}  // namespace davsim::runtime
