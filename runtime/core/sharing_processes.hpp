// The processes that share memory of the devices with this one (aclrtIpcMem*), as those who write
// to it while kernels run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "sim/watch/outside_writers.hpp"

namespace davsim::runtime {

/// Kernels that can only wait for them do so in wall time. Calls of share() and end() may come from
/// any thread.
class SharingProcesses final : public sim::OutsideWriters {
 public:
  /// A key is exported, or one of another process imported.
  void share() { ++keys_; }
  void end() { --keys_; }

  bool any() const override { return keys_ > 0; }
  void await() override;

 private:
  std::atomic<std::int64_t> keys_ = 0;

  // Only the device's thread uses these.
  std::chrono::steady_clock::time_point since_{};  ///< when a kernel began to wait
  std::chrono::steady_clock::time_point last_{};   ///< the end of the last pause
  std::chrono::microseconds pause_{};              ///< its length
  bool told_ = false;
};

}  // namespace davsim::runtime
