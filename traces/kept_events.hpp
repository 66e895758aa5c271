// The events of the last call in memory, for exports that somebody may ask for when it has ended.
#pragma once

#include <cstddef>
#include <vector>

#include "traces/event_batch.hpp"

namespace davsim::traces {

/// Keeps events up to a number of instructions. A longer call is counted and not kept.
class KeptEvents : public Observer {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 20;

  explicit KeptEvents(std::size_t most = kMost) : most_(most) {}

  void launch_begins(const LaunchDescription& launch) override { add(launch); }
  void instruction(const InstrEvent& event) override;
  void block_begins(const BlockBegin& block) override { add(block); }
  void block(const BlockEvent& event) override { add(event); }
  void memory_sample(const MemorySample& sample) override { add(sample); }
  void launch_ends(const LaunchReport& report) override { add(report); }

  /// Forgets everything, for the next call. Memory of a few batches is kept for it.
  void clear();
  /// False: the call had more than `most` instructions.
  bool complete() const { return instructions_ <= most_; }
  std::size_t most() const { return most_; }
  /// Shows everything, in order. Only of a complete call.
  void show_to(Observer& observer);

 private:
  template <class T>
  void add(const T& other) {
    if (complete()) last().add_other(other);
  }
  EventBatch& last();

  std::size_t most_;
  std::size_t instructions_ = 0;
  std::vector<EventBatch> batches_, spare_;
};

}  // namespace davsim::traces
