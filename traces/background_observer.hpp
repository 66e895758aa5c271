// Calls an observer in a thread of its own, so that a trace costs the simulation only copies of the
// events.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "traces/event_batch.hpp"
#include "traces/observed.hpp"

namespace davsim::traces {

/// The inner observer receives every event in order, some thousand instructions late but within
/// their launch: the kernel, whose code has the names of files, may be unloaded behind it. If it is
/// slower than the simulation, the simulation waits for it, so that memory stays bounded.
class BackgroundObserver : public Observer {
 public:
  explicit BackgroundObserver(Observer& inner);  ///< not owned; must outlive this
  /// Ends the thread. Events that the inner observer has not received are dropped; finish() waits
  /// for them.
  ~BackgroundObserver() override;
  BackgroundObserver(const BackgroundObserver&) = delete;
  BackgroundObserver& operator=(const BackgroundObserver&) = delete;

  void launch_begins(const LaunchDescription& launch) override { add(launch); }
  void instruction(const InstrEvent& event) override {
    batch_.add(event);
    if (batch_.full()) hand_over();
  }
  void block_begins(const BlockBegin& block) override { add(block); }
  void block(const BlockEvent& event) override { add(event); }
  void memory_sample(const MemorySample& sample) override { add(sample); }
  void launch_ends(const LaunchReport& report) override {
    add(report);
    settle();
  }

  /// Waits until the inner observer has received everything. Throws what the inner observer threw;
  /// it receives nothing after that.
  void finish();

 private:
  static constexpr std::size_t kMostWaiting = 8;  ///< batches

  template <class T>
  void add(const T& other) {
    batch_.add_other(other);
    if (batch_.full()) hand_over();
  }
  void hand_over();
  /// Waits until the inner observer has received everything.
  void settle();
  void work();

  Observer& inner_;
  EventBatch batch_;  ///< of the simulation's thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<EventBatch> waiting_;
  std::vector<EventBatch> used_;  ///< empty, with their memory
  bool busy_ = false, ending_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace davsim::traces
