// Calls an observer in a thread of its own, so that a trace costs the simulation only copies of the
// events.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "traces/observed.hpp"

namespace davsim::traces {

/// The inner observer receives every event in order, some thousand instructions late. If it is
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
    Instruction& entry = batch_.instructions[batch_.count++];
    entry.event = event;
    entry.instr = *event.instr;
    if (batch_.count == kBatch) hand_over();
  }
  void block_begins(const BlockBegin& block) override { add(block); }
  void block(const BlockEvent& event) override { add(event); }
  void memory_sample(const MemorySample& sample) override { add(sample); }
  void launch_ends(const LaunchReport& report) override { add(report); }

  /// Waits until the inner observer has received everything. Throws what the inner observer threw;
  /// it receives nothing after that.
  void finish();

 private:
  struct Instruction {
    InstrEvent event;
    isa::DecodedInstr instr;  ///< a copy: the simulation's is gone by then
  };
  struct Other {
    std::uint32_t behind;  ///< so many instructions of the batch
    std::variant<LaunchDescription, BlockBegin, BlockEvent, MemorySample, LaunchReport> what;
  };
  static constexpr std::uint32_t kBatch = 1024;   ///< instructions handed over at once
  static constexpr std::size_t kMostWaiting = 8;  ///< batches
  struct Batch {
    std::unique_ptr<Instruction[]> instructions = std::make_unique<Instruction[]>(kBatch);
    std::uint32_t count = 0;
    std::vector<Other> others;
  };

  template <class T>
  void add(const T& other) {
    batch_.others.push_back({batch_.count, other});
    if (batch_.others.size() == kBatch) hand_over();
  }
  void hand_over();
  void work();
  void show(Batch& batch);

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
