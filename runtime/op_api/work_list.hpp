// What a hand-written aclnn function has its second phase do: operators of the project and copies
// of tensors, one after the other, with tensors in the workspace between them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "opdev/op_arg_def.h"
#include "runtime/aclnn/executor.hpp"
#include "runtime/aclnn/operator_executor.hpp"

namespace davsim::op_api {

/// A kernel of the registry and what it is launched with: addresses of tensors, then that of a copy
/// of the tiling.
struct KernelLaunch {
  std::string kernel;
  std::string name;  ///< in reports
  std::uint32_t blocks = 0;
  std::vector<const aclTensor*> tensors;  ///< their elements follow each other; null: none
  std::vector<std::byte> tiling;
};

/// What the host computes in the place of a kernel, in memory of the device.
using HostTask = std::function<void(std::span<const runtime::BoundTensor> to,
                                    std::span<const runtime::BoundTensor> from)>;

/// What launches kernels on the device by itself. The tensors are those of add_operation().
using Operation = std::function<observe::LaunchReport(sim::Device& device,
                                                      std::span<const runtime::BoundTensor>)>;

class WorkList final : public runtime::Executor {
 public:
  /// `function` is the name of the first phase.
  explicit WorkList(std::string function) : function_(std::move(function)) {}

  const std::string& type() const override { return function_; }
  WorkList* work() override { return this; }
  void launch(const std::shared_ptr<runtime::Stream>& stream, void* workspace,
              std::uint64_t bytes) override;
  /// By the program's object alone, of which all steps know where their tensors come from.
  bool set_address(const Place& place, const aclTensor* tensor, void* address) override;

  /// Makes an object that lives as long as this.
  template <class Object>
  Object* make() {
    auto object = std::make_shared<Object>();
    objects_.push_back(object);
    return object.get();
  }
  /// A tensor of the workspace.
  aclTensor* tensor(const op::Shape& storage, const op::Shape& original, op::DataType type,
                    op::Format storage_format, op::Format original_format);
  /// A tensor whose elements the host has: zeros.
  aclTensor* host_tensor(const op::Shape& shape, op::DataType type, op::Format format);
  /// The same elements; sizes and steps can be changed.
  aclTensor* view(const aclTensor& of);

  void add(std::unique_ptr<runtime::OperatorExecutor> executor);
  void add_copy(const aclTensor& to, const aclTensor& from);
  void add_zeros(const aclTensor& to);
  void add_kernel(const KernelLaunch& launch);
  void add_operation(const std::vector<const aclTensor*>& tensors, Operation operation);
  /// Takes no simulated time. An ApiError of the task is what the stream's synchronisation returns.
  void add_task(const std::vector<const aclTensor*>& to, const std::vector<const aclTensor*>& from,
                HostTask task);

  /// Gives `of`, a tensor of the call's, the sizes that a step before has found. The second phase
  /// waits for the stream there, as on the device.
  void add_shape(const aclTensor& of, std::function<op::Shape()> shape);

  /// Says where each tensor of the workspace lies. Returns the bytes of all, and of the largest
  /// workspace of an operator behind them.
  std::uint64_t lay_out();

 private:
  using Step = std::function<void(const std::shared_ptr<runtime::Stream>& stream)>;
  /// The tensor with the address that the second phase or set_address() has given it.
  runtime::BoundTensor placed(runtime::BoundTensor tensor) const;
  /// The same of all, which lie in memory of the device. Those without elements may lie nowhere.
  std::vector<runtime::BoundTensor> there(std::vector<runtime::BoundTensor> tensors) const;

  std::string function_;
  std::vector<std::shared_ptr<void>> objects_;
  std::vector<const aclTensor*> in_workspace_;
  std::vector<Step> steps_;
  std::map<const aclTensor*, void*> addresses_;  ///< by set_address()
  std::uint64_t most_scratch_ = 0;               ///< bytes of an operator's workspace
  std::byte* scratch_ = nullptr;                 ///< where these lie
};

/// The tensor as operators take it.
runtime::BoundTensor bound_view(const aclTensor& tensor);

}  // namespace davsim::op_api
