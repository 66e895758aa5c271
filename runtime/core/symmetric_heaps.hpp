// The devices of this process that are PEs of SHMEM (runtime/shmem), with their symmetric heaps:
// what launches ask.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace davsim::runtime {

/// The symmetric heap of a device.
struct SymmetricHeap {
  std::string communicator;  ///< of all PEs: the heap is its window on this device
  std::uint64_t state = 0;   ///< where its aclshmem_device_host_state_t lies
  std::uint32_t pes = 0;
};

/// Calls may come from any thread.
class SymmetricHeaps {
 public:
  static SymmetricHeaps& instance();
  void set(std::uint32_t die, SymmetricHeap heap);
  void forget(std::uint32_t die);
  /// None: the device is no PE.
  std::optional<SymmetricHeap> of(std::uint32_t die) const;
  /// Whether the windows of this communicator are heaps.
  bool are_of(const std::string& communicator) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint32_t, SymmetricHeap> heaps_;
};

}  // namespace davsim::runtime
