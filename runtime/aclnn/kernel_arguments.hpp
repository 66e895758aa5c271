// The arguments of an operator's kernel on the device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/aclnn/bound_call.hpp"
#include "runtime/core/device_copies.hpp"
#include "runtime/op_host/tiling.hpp"

namespace davsim::runtime {

/// Blocks of the device that hold what the host gave (tiling data, lists, arrays, scalars) and
/// copies of tensors with strides. They are freed with this, which is as good as after the kernel:
/// a block stays readable until the work queued before is done.
class KernelArguments {
 public:
  /// Queues on the stream what has to happen before the kernel: copies of tensors with strides, and
  /// initial values of outputs. Throws ApiError for a tensor that does not lie on the device.
  KernelArguments(Simulator& simulator, const std::shared_ptr<Stream>& stream,
                  const BoundCall& call, const op_host::Tiling& tiling, void* workspace);

  const std::vector<std::uint64_t>& slots() const { return slots_; }
  /// Addresses of tensors that the kernel reaches through lists.
  const std::vector<std::uint64_t>& members() const { return members_; }

 private:
  void add(const void* address) { slots_.push_back(reinterpret_cast<std::uint64_t>(address)); }
  void add_tensors(const op_host::Parameter& parameter, const BoundParameter& tensors);
  void* address_of(const BoundTensor& tensor, const std::string& name);
  void* packed(const BoundTensor& tensor);
  void initialise(const op_host::Parameter& output, std::size_t column,
                  const BoundParameter& tensors);

  Simulator& simulator_;
  const std::shared_ptr<Stream>& stream_;
  std::vector<std::uint64_t> slots_, members_;
  DeviceCopies copies_;
};

}  // namespace davsim::runtime
