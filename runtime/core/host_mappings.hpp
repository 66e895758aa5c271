// Memory of the host that kernels reach by an address of the device: aclrtHostRegister.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace davsim::runtime {

/// A mapping has a block of the device's memory. Bytes go between it and the host's memory where
/// somebody may look: before a kernel starts and behind its end. Calls may come from any thread.
class HostMappings {
 public:
  /// False if some of the bytes are mapped already.
  bool add(void* host, std::size_t bytes, void* device);
  /// The block of the device, which nobody uses any more; null if no mapping begins at `host`.
  void* remove(void* host);
  /// The blocks are gone.
  void forget_all();

  /// Where kernels find the host's byte; null if it is not mapped.
  void* device_address(const void* host) const;
  /// Whether the address of the device is in a block of a mapping.
  bool holds(const void* device) const;

  /// Both sides get what the other one has written since the last call. Where both have written,
  /// the device's byte counts.
  void exchange();

 private:
  struct Mapping {
    std::byte* device = nullptr;
    std::vector<std::byte> last;  ///< what both sides had
  };

  mutable std::mutex mutex_;
  std::map<const std::byte*, Mapping> mappings_;  ///< by the host's address
};

}  // namespace davsim::runtime
