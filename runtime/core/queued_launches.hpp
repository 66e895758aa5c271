// Launches of other devices that the host has queued behind one which waits for them: kernels that
// exchange data in each other's memory without a communicator.
#pragma once

#include <chrono>
#include <functional>

#include "runtime/core/device_memory.hpp"
#include "runtime/core/work_queue.hpp"
#include "sim/watch/later_launches.hpp"

namespace davsim::runtime {

/// Only the device's thread calls its functions.
class QueuedLaunches final : public sim::LaterLaunches {
 public:
  /// Nothing is waited for longer than `limit`, or once `broken`.
  QueuedLaunches(WorkQueue& queue, const DeviceMemory& memory, std::chrono::seconds limit,
                 std::function<bool()> broken);

  bool any() const override { return !memory_.reached_devices().empty(); }
  bool begin_one(Patience patience) override;

 private:
  bool await(std::chrono::milliseconds limit);
  bool await_telling();

  WorkQueue& queue_;
  const DeviceMemory& memory_;
  std::chrono::seconds limit_;
  std::function<bool()> broken_;
  std::chrono::milliseconds short_waits_{};  ///< in vain, since something came last
};

}  // namespace davsim::runtime
