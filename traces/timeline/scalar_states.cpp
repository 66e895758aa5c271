#include "traces/timeline/scalar_states.hpp"

#include <algorithm>

#include "traces/timeline/timeline.hpp"

namespace davsim::traces {

using isa::Pipe;

CycleClass wait_class(isa::Opcode op) {
  return op == isa::Opcode::kWaitFlag ? CycleClass::kWaitFlag : CycleClass::kWaitCrossCore;
}

void ScalarStates::own(const InstrEvent& event) {
  switch (kind_of(event.instr->op)) {
    case EventKind::kWork:
      acts_.push_back(
          {event.start, event.end, event.stalled_counted, CycleClass::kBusy, event.stall_class});
      break;
    case EventKind::kWait:
      acts_.push_back({event.start, event.end, 0, wait_class(event.instr->op)});
      break;
    case EventKind::kBarrier:
      acts_.push_back({event.start, event.end, 0, CycleClass::kBarrier});
      break;
    case EventKind::kSet:
      break;  // takes no time beyond its issue
  }
}

void ScalarStates::instruction(const InstrEvent& event) {
  const Pipe pipe = event.instr->pipe;
  if (pipe == Pipe::S || pipe == Pipe::ALL) return own(event);
  // An instruction for which there was no room entered its queue in the cycle in which the
  // instruction `depth_` places ahead left it.
  auto& issued = issued_[static_cast<std::size_t>(pipe)];
  const bool full = depth_ > 0 && issued.size() == depth_ && issued.front() == event.dispatched;
  acts_.push_back(
      {event.dispatched, event.dispatched, 0, full ? CycleClass::kQueueFull : CycleClass::kBusy});
  const EventKind kind = kind_of(event.instr->op);
  const bool waits = kind == EventKind::kWait || kind == EventKind::kBarrier;
  issued.push_back(waits ? event.end : event.start);
  if (issued.size() > depth_) issued.pop_front();
}

/// The shortest time from one instruction to the next: what an issue takes at least.
Cycle ScalarStates::shortest_issue() const {
  Cycle shortest = ~Cycle{0};
  for (std::size_t i = 1; i < acts_.size(); ++i) {
    const Cycle gap = acts_[i].begin - std::min(acts_[i].begin, acts_[i - 1].end);
    if (gap > 0 && acts_[i].cycle_class == CycleClass::kBusy) shortest = std::min(shortest, gap);
  }
  return shortest;
}

void ScalarStates::block(const BlockEvent& event, const Fill& fill) {
  std::stable_sort(acts_.begin(), acts_.end(), [](const Act& a, const Act& b) {
    return a.end != b.end ? a.end < b.end : a.begin < b.begin;
  });
  const Cycle issue = shortest_issue();
  Cycle last = event.start;
  bool shown = false;  // the unit has told of the work before this act
  for (const Act& act : acts_) {
    if (act.cycle_class == CycleClass::kQueueFull) {
      fill(CycleClass::kBusy, std::min(act.end, last + (shown ? 0 : issue)));
      fill(CycleClass::kQueueFull, act.end);
    } else {
      fill(CycleClass::kBusy, act.begin);
      fill(act.cycle_class, act.end - act.stalled);
      fill(act.stall_class, act.end);
    }
    shown = act.end > act.begin;
    last = act.end;
  }
  fill(CycleClass::kBusy, event.issued);
  fill(CycleClass::kDone, event.end);
  acts_.clear();
  // What is left from one block is out of the queues before the next begins.
  for (auto& issued : issued_) issued.clear();
}

}  // namespace davsim::traces
