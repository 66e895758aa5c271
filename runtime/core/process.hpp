// What the calls of the interface share in a process: devices that are set, contexts, streams. Each
// handle is looked up before it is used, so that one which does not exist any more is refused.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/core/simulator.hpp"
#include "runtime/core/stream.hpp"

namespace davsim::runtime {

class Process {
 public:
  static Process& instance();

  void initialise();  ///< throws ApiError if it is initialised
  void finalise();    ///< throws ApiError unless it is initialised

  void set_device(std::int32_t device);
  void reset_device(std::int32_t device);
  /// The context of the calling thread. Throws ApiError(ACL_ERROR_RT_CONTEXT_NULL).
  std::shared_ptr<Context> context();

  std::shared_ptr<Stream> create_stream();
  /// Waits for the work of the stream.
  void destroy_stream(void* handle);
  /// A stream of the thread's context; a null handle is its default stream. Throws ApiError.
  std::shared_ptr<Stream> stream(void* handle);

 private:
  void require_device(std::int32_t device) const;

  std::mutex mutex_;
  bool initialised_ = false;
  std::uint32_t devices_set_ = 0;  ///< calls of set_device without their reset_device
  std::shared_ptr<Context> primary_;
  std::map<void*, std::shared_ptr<Context>> contexts_;
  std::map<void*, std::shared_ptr<Stream>> streams_;
};

/// Throws the code of what the device went wrong with, if it has.
void require_device_sound(Simulator& simulator);
/// The same, or else throws the code of a launch on the stream that was refused, once.
void require_sound(Simulator& simulator, Stream& stream);

}  // namespace davsim::runtime
