// What the calls of the interface share in a process: devices that are set, contexts, streams,
// events. Each handle is looked up before it is used, so that one which does not exist any more is
// refused.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/core/event.hpp"
#include "runtime/core/simulator.hpp"
#include "runtime/core/stream.hpp"

namespace davsim::runtime {

class Process {
 public:
  static Process& instance();

  void initialise();  ///< throws ApiError if it is initialised
  void finalise();    ///< throws ApiError unless it is initialised

  bool initialised() const { return initialised_; }

  bool device_is_set() {
    const std::lock_guard lock(mutex_);
    return !devices_set_.empty();
  }
  /// By the program's numbers. Throws ApiError for a device that does not exist.
  void set_device(std::int32_t device);
  void reset_device(std::int32_t device, bool force);

  /// The die of the calling thread's context; that of device 0 where it has none.
  std::uint32_t device_of_thread();
  /// The context of the calling thread. Throws ApiError(ACL_ERROR_RT_CONTEXT_NULL).
  std::shared_ptr<Context> context();
  void* create_context(std::int32_t device);  ///< becomes the thread's own
  void destroy_context(void* handle);
  void use_context(void* handle);

  void* create_stream(std::uint32_t priority, std::uint32_t flags);
  /// Waits for the work of the stream.
  void destroy_stream(void* handle);
  /// A stream of the thread's context; a null handle is its default stream. Throws ApiError.
  std::shared_ptr<Stream> stream(void* handle);

  void* create_event(bool ex);
  void destroy_event(void* handle);
  std::shared_ptr<Event> event(void* handle);
  /// How many more a program may make, as a device has a number of them. None is refused for it.
  std::uint32_t streams_left();
  std::uint32_t events_left();

 private:
  std::shared_ptr<Context> context_of(void* handle);  ///< the mutex is held
  /// Of a die, also those of contexts; nullopt: of all.
  std::vector<std::shared_ptr<Stream>> streams_of(std::optional<std::int32_t> device);

  std::mutex mutex_;
  std::atomic<bool> initialised_ = false;
  /// By die: calls of set_device without their reset_device; none is 0.
  std::map<std::int32_t, std::uint32_t> devices_set_;
  std::map<std::int32_t, std::shared_ptr<Context>> primary_;
  std::map<void*, std::shared_ptr<Context>> contexts_;
  std::map<void*, std::shared_ptr<Stream>> streams_;
  std::map<void*, std::shared_ptr<Event>> events_;
  std::int32_t stream_ids_ = 0;
  std::uint32_t event_ids_ = 0;
};

/// Throws the code of what the device went wrong with, if it has.
void require_device_sound(Simulator& simulator);
/// The same, or else throws the code of a launch on the stream that was refused, once.
void require_sound(Simulator& simulator, Stream& stream);

}  // namespace davsim::runtime
