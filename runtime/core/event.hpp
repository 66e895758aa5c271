// Events: a place in a stream, and the simulated time at which the stream came there.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "runtime/core/captured_work.hpp"
#include "runtime/core/timeline.hpp"
#include "runtime/core/work_queue.hpp"

namespace davsim::runtime {

/// What one aclrtRecordEvent records. Who waits for it keeps it, because the event may be recorded
/// again or destroyed.
struct Recording {
  WorkQueue::Ticket ticket = 0;
  MomentPtr at;
  /// Where the stream was captured: it comes to pass in executions only.
  std::shared_ptr<CapturedWork> captured;
};

/// What a notify is beside an event: it is there from its recording until a stream has waited for
/// it. Used by the device's thread, and by others while no work runs.
struct Signal {
  bool there = false;
  MomentPtr at;  ///< the end of what recorded it
};

struct Event {
  Event(std::uint32_t number, bool of_ex) : id(number), ex(of_ex) {}

  const std::uint32_t id;
  const bool ex;  ///< made by aclrtCreateEventExWithFlag
  std::mutex mutex;
  const std::shared_ptr<Signal> signal = std::make_shared<Signal>();
  std::shared_ptr<Recording> last;  ///< guarded by the mutex; null: nothing is recorded
};

}  // namespace davsim::runtime
