// What the device has to do, in the order in which the host asked for it, and the thread that does
// it. Streams order their own work and wait for what was recorded before them, so the order of the
// host's calls satisfies all of them, and makes runs of one program alike.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace davsim::runtime {

class WorkQueue {
 public:
  using Work = std::function<void()>;
  /// A place in the queue; 0 is before everything.
  using Ticket = std::uint64_t;
  /// Work that waits at most. Who adds more waits for room, so that a program of any number of
  /// launches needs bounded memory.
  static constexpr std::size_t kMost = 1024;

  WorkQueue() = default;
  ~WorkQueue() { stop(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Starts the thread and does `first` in it. Throws what `first` throws.
  void start(const Work& first);
  /// Does what is queued and ends the thread.
  void stop();

  /// Queues work, which must not throw. Work that comes behind stop() is dropped.
  Ticket push(Work work);
  /// True once all work up to `ticket` is done; false if that takes longer than `limit`. On the
  /// queue's own thread: whether it is done already.
  bool wait(Ticket ticket, std::optional<std::chrono::milliseconds> limit = std::nullopt);
  /// The same, but returns while a callback keeps the queue from going on: it may wait for the
  /// caller.
  void wait_unless_in_callback(Ticket ticket);
  bool done(Ticket ticket) const;
  Ticket last() const;

  /// Calls `f` while no work runs. Nothing that `f` needs may be held by who waits here.
  template <class F>
  auto between_work(F&& f) {
    std::unique_lock lock(mutex_);
    ++visitors_;
    changed_.wait(lock, [this] { return !working_; });
    struct Leave {
      WorkQueue& queue;
      ~Leave() {
        --queue.visitors_;
        queue.changed_.notify_all();
      }
    } leave{*this};
    return f();
  }
  /// For work: calls `f`, which does not count as work and may use the interface.
  void aside(const Work& f);
  bool on_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  Ticket pushed_ = 0, done_ = 0;
  std::uint32_t visitors_ = 0;
  bool working_ = false, ending_ = false, in_callback_ = false;
  std::thread thread_;
};

}  // namespace davsim::runtime
