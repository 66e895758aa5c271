// Copies of what a device tells its observers, to be shown to another observer later.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "traces/observed.hpp"

namespace davsim::traces {

/// Events in their order, up to kMost instructions and about as many of the other kinds.
class EventBatch {
 public:
  static constexpr std::uint32_t kMost = 1024;

  void add(const InstrEvent& event) {
    Instruction& entry = instructions_[count_++];
    entry.event = event;
    entry.instr = *event.instr;
  }
  template <class T>
  void add_other(const T& other) {
    others_.push_back({count_, other});
  }
  bool full() const { return count_ == kMost || others_.size() >= kMost; }
  bool empty() const { return count_ == 0 && others_.empty(); }
  std::uint32_t instructions() const { return count_; }
  /// Keeps the memory for later events.
  void clear() {
    count_ = 0;
    others_.clear();
  }
  void show_to(Observer& observer);

 private:
  struct Instruction {
    InstrEvent event;
    isa::DecodedInstr instr;  ///< a copy: the simulation's is gone by then
  };
  struct Other {
    std::uint32_t behind;  ///< so many instructions of the batch
    std::variant<LaunchDescription, BlockBegin, BlockEvent, MemorySample, LaunchReport> what;
  };

  std::unique_ptr<Instruction[]> instructions_ = std::make_unique<Instruction[]>(kMost);
  std::uint32_t count_ = 0;
  std::vector<Other> others_;
};

}  // namespace davsim::traces
