// Callbacks that streams hand to the threads which subscribed to them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace davsim::runtime {

using ThreadId = std::uint64_t;  ///< a pthread_t

/// Marks the calling thread, for as long as it lives, as one that runs a callback: nothing it calls
/// may wait for work, because work waits for it.
class InCallback {
 public:
  InCallback();
  ~InCallback();
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
  /// Whether the calling thread runs one.
  static bool active();
};

class Reports {
 public:
  /// Hands `callback` to a thread; if `blocking`, returns when the thread has called it.
  void post(ThreadId thread, std::function<void()> callback, bool blocking);
  /// Calls everything that is there for the calling thread, waiting for the first up to `limit`.
  /// False if nothing came.
  bool process(std::optional<std::chrono::milliseconds> limit);
  /// Drops what nobody will process any more, and lets who waits for it go on.
  void drop(ThreadId thread);

 private:
  struct Report {
    std::function<void()> callback;
    bool done = false;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<ThreadId, std::deque<std::shared_ptr<Report>>> waiting_;
};

}  // namespace davsim::runtime
