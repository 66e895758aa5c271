#include "traces/event_batch.hpp"

namespace davsim::traces {

void EventBatch::show_to(Observer& observer) {
  struct Show {
    Observer& observer;
    void operator()(const LaunchDescription& launch) const { observer.launch_begins(launch); }
    void operator()(const BlockBegin& block) const { observer.block_begins(block); }
    void operator()(const BlockEvent& event) const { observer.block(event); }
    void operator()(const MemorySample& sample) const { observer.memory_sample(sample); }
    void operator()(const LaunchReport& report) const { observer.launch_ends(report); }
  };
  std::uint32_t shown = 0;
  const auto show_until = [&](std::uint32_t end) {
    for (; shown < end; ++shown) {
      Instruction& entry = instructions_[shown];
      entry.event.instr = &entry.instr;
      observer.instruction(entry.event);
    }
  };
  for (const Other& other : others_) {
    show_until(other.behind);
    std::visit(Show{observer}, other.what);
  }
  show_until(count_);
}

}  // namespace davsim::traces
