// Copies in device memory of data that the host gives a kernel beside its arguments, such as
// tilings.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/core/simulator.hpp"

namespace davsim::runtime {

/// Blocks of the device that hold copies of what the host gave, for as long as this lives; see
/// DeviceMemory::free about kernels that are queued. If the stream is captured, they live as long
/// as what is captured.
class DeviceCopies {
 public:
  DeviceCopies(Simulator& simulator, std::shared_ptr<Stream> stream)
      : simulator_(simulator), stream_(std::move(stream)) {}
  ~DeviceCopies();
  DeviceCopies(const DeviceCopies&) = delete;
  DeviceCopies& operator=(const DeviceCopies&) = delete;

  /// Room for `bytes`, at least 1. Throws ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION).
  void* block(std::uint64_t bytes);
  void* copy(const void* from, std::uint64_t bytes);

 private:
  Simulator& simulator_;
  std::shared_ptr<Stream> stream_;
  std::vector<void*> blocks_;
};

}  // namespace davsim::runtime
