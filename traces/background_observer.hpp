// Hands a run on to an observer in a thread of its own: writing a trace costs the simulation only
// the copies.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "traces/observer.hpp"

namespace davsim::traces {

/// The inner observer sees everything in order, some thousand instructions late. If it is slower
/// than the simulation, the simulation waits for it: memory stays bounded.
class BackgroundObserver : public Observer {
 public:
  explicit BackgroundObserver(Observer& inner);  ///< not owned; must outlive this
  /// Ends the thread; what the inner observer has not seen yet is lost unless finish() was called.
  ~BackgroundObserver() override;
  BackgroundObserver(const BackgroundObserver&) = delete;
  BackgroundObserver& operator=(const BackgroundObserver&) = delete;

  void launch_begins(const LaunchDescription& launch) override { add(launch); }
  void instruction(const InstrEvent& event) override { add(Instruction{event, *event.instr}); }
  void block_begins(const BlockBegin& block) override { add(block); }
  void block(const BlockEvent& event) override { add(event); }
  void memory_sample(const MemorySample& sample) override { add(sample); }
  void launch_ends(const LaunchReport& report) override { add(report); }

  /// Waits until the inner observer has seen everything. Throws what it threw; after that it sees
  /// nothing more.
  void finish();

 private:
  struct Instruction {
    InstrEvent event;
    isa::Instr instr;  ///< a copy: the simulation's is gone by then
  };
  using Entry = std::variant<Instruction, LaunchDescription, BlockBegin, BlockEvent, MemorySample,
                             LaunchReport>;
  using Batch = std::vector<Entry>;
  static constexpr std::size_t kBatch = 2048;     ///< entries handed over at once
  static constexpr std::size_t kMostWaiting = 8;  ///< batches

  template <class T>
  void add(T&& entry) {
    batch_.emplace_back(std::forward<T>(entry));
    if (batch_.size() == kBatch) hand_over();
  }
  void hand_over();
  void work();
  void show(const Batch& batch);

  Observer& inner_;
  Batch batch_;  ///< of the simulation's thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> waiting_;
  std::vector<Batch> used_;  ///< empty, with their memory
  bool busy_ = false, ending_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace davsim::traces
