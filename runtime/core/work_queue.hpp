// What the device has to do, in the order in which the host asked for it, and the thread that does
// it. Streams order their own work and wait for what was recorded before them, so the order of the
// host's calls satisfies all of them, and makes runs of one program alike. Only where a stream
// waits for a value in memory, what the host asked for later on other streams is done before.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace davsim::runtime {

class WorkQueue {
 public:
  using Work = std::function<void()>;
  /// A place in the queue; 0 is before everything.
  using Ticket = std::uint64_t;
  /// What a work waits for beside those before it.
  struct Needs {
    std::vector<const void*>
        lanes;                    ///< works of one lane are done in order; none: it waits for none
    Ticket after = 0;             ///< a work of another lane
    std::function<bool()> ready;  ///< asked while no work runs; empty: always
    /// The device that a work with lanes uses; none: any of them. See do_another().
    std::optional<std::uint32_t> device = std::nullopt;
  };
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
  Ticket push(Work work) { return push(std::move(work), {}); }
  Ticket push(Work work, Needs needs);
  /// True once the work of `ticket` is done; false if that takes longer than `limit`. On the
  /// queue's own thread: whether it is done already.
  bool wait(Ticket ticket, std::optional<std::chrono::milliseconds> limit = std::nullopt);
  /// The same for all work up to `ticket`.
  bool wait_through(Ticket ticket, std::optional<std::chrono::milliseconds> limit = std::nullopt);
  /// The same, but returns while a callback keeps the queue from going on, because it may wait for
  /// the caller, and where all that is left waits for a value.
  void wait_unless_held(Ticket ticket);
  /// Waits until the work of `ticket` is done, or all that is left waits for a value.
  void wait_or_held(Ticket ticket);
  bool done(Ticket ticket) const;
  /// All that is left waits for a value.
  bool is_held() const;
  /// All work up to here is done.
  Ticket done_through() const;
  Ticket last() const;
  /// Something that a work waits for may have changed.
  void look_again();

  /// For a work that cannot end before a later one has begun: does the next one that uses a device
  /// which no work in progress uses, or none. False if there is none within `limit`, or will be
  /// none. While it waits, no work runs.
  bool do_another(std::chrono::milliseconds limit);
  /// Whether a work in progress uses each of these devices.
  bool uses_all(const std::set<std::uint32_t>& devices) const;

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
        queue.held_ = false;
        queue.changed_.notify_all();
      }
    } leave{*this};
    return f();
  }
  /// For work: calls `f`, which does not count as work and may use the interface.
  void aside(const Work& f);
  bool on_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  struct Item {
    Work work;
    Needs needs;
    Ticket ticket;
  };
  using Items = std::deque<Item>;

  void run();
  // The mutex is held.
  bool is_done(Ticket ticket) const { return ticket <= done_ || early_.contains(ticket); }
  Items::iterator next();
  bool is_in_use(const Needs& needs) const;
  void carry_out(Items::iterator item, std::unique_lock<std::mutex>& lock);
  void finish(Ticket ticket);
  template <class Reached>
  bool wait_until(std::optional<std::chrono::milliseconds> limit, Reached reached);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Items waiting_;
  std::vector<Needs> in_progress_;  ///< each but the last waits for a later one
  Ticket pushed_ = 0, done_ = 0;
  std::set<Ticket> early_;  ///< done, unlike some before them
  std::uint32_t visitors_ = 0;
  bool working_ = false, ending_ = false, in_callback_ = false;
  bool held_ = false;  ///< what is left waits for a value, as far as is known
  std::thread thread_;
};

}  // namespace davsim::runtime
