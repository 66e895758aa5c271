// Events: a place in a stream, and the simulated time at which the stream came there.
#pragma once

#include <memory>
#include <mutex>

#include "runtime/core/timeline.hpp"
#include "runtime/core/work_queue.hpp"

namespace davsim::runtime {

/// What one aclrtRecordEvent records. Who waits for it keeps it, because the event may be recorded
/// again or destroyed.
struct Recording {
  WorkQueue::Ticket ticket = 0;
  MomentPtr at;
};

struct Event {
  std::mutex mutex;
  std::shared_ptr<Recording> last;  ///< guarded by the mutex; null: nothing is recorded
};

}  // namespace davsim::runtime
