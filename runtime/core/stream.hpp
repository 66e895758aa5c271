// Streams and contexts. A stream has no queue of its own: the device works in the order of the
// host's calls, and a stream remembers its last work and the moment at which that ends.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/core/captured_work.hpp"
#include "runtime/core/core_limits.hpp"
#include "runtime/core/timeline.hpp"
#include "runtime/core/work_queue.hpp"

namespace davsim::runtime {

struct Context;

/// A code of the interface and what there is to say about it.
struct DeviceError {
  int code;
  std::string text;
};

struct Stream {
  Stream(Context* of, std::int32_t number) : context(of), id(number) {}

  Context* context;
  std::int32_t id;  ///< 0: the default stream of its context
  std::mutex mutex;
  WorkQueue::Ticket last = 0;  ///< guarded by the mutex
  MomentPtr end;               ///< of its last work; guarded by the mutex
  /// A launch that was refused, for who waits for the stream: a launch in the source has no result.
  /// Guarded by the mutex.
  std::optional<DeviceError> refused;

  /// What waits on it for a value, and what is behind that, is given up.
  std::atomic<bool> abandoned = false;

  /// What is queued on it is kept there instead of done. Guarded by the mutex.
  std::shared_ptr<CapturedWork> capture;
  /// What is queued on it takes the place of captured tasks. Guarded by the mutex.
  std::optional<Replacement> replacement;
  /// What the program gave under each attribute; they change nothing. Guarded by the mutex.
  std::array<std::uint32_t, 6> attributes{};
  CoreLimits core_limits;                 ///< guarded by the mutex
  std::uint32_t priority = 0, flags = 0;  ///< as the program gave them; they change nothing

  /// The thread that takes the stream's callbacks; none: the device's. Guarded by the mutex.
  std::optional<std::uint64_t> subscriber;
};

struct Context {
  explicit Context(std::int32_t device_id) : device(device_id) {}

  std::int32_t device;
  std::shared_ptr<Stream> default_stream = std::make_shared<Stream>(this, 0);
};

}  // namespace davsim::runtime
