#include "traces/timeline/pipe_states.hpp"

#include "traces/timeline/timeline.hpp"

namespace davsim::traces {

using isa::Pipe;

void PipeStates::launch_begins(const LaunchDescription& launch) {
  for (const CoreDescription& core : launch.cores) {
    if (core.id >= cores_.size()) cores_.resize(core.id + 1);
    cores_[core.id].until.fill(launch.start);
    cores_[core.id].scalar = ScalarStates(launch.queue_depth);
  }
}

void PipeStates::fill(std::uint32_t core, Pipe pipe, CycleClass cycle_class, Cycle end) {
  Cycle& until = cores_[core].until[static_cast<std::size_t>(pipe)];
  if (end <= until) return;
  sink_(core, pipe, cycle_class, until, end);
  until = end;
}

void PipeStates::instruction(const InstrEvent& event) {
  const isa::Instr& instr = *event.instr;
  cores_.at(event.core).scalar.instruction(event);
  if (instr.pipe == Pipe::S || instr.pipe == Pipe::ALL) return;
  const EventKind kind = kind_of(instr.op);
  if (kind == EventKind::kWork) {
    fill(event.core, instr.pipe, CycleClass::kQueueEmpty, event.start - event.held);
    fill(event.core, instr.pipe, CycleClass::kUnitFlag, event.start);
    fill(event.core, instr.pipe, CycleClass::kBusy, event.end - event.stalled_counted);
    fill(event.core, instr.pipe, event.stall_class, event.end);
  } else if (kind == EventKind::kWait && event.end > event.start) {
    // A wait that passes at once leaves the time before it to what comes after it.
    fill(event.core, instr.pipe, CycleClass::kQueueEmpty, event.start);
    fill(event.core, instr.pipe, wait_class(instr.op), event.end);
  }
}

void PipeStates::fill_all(std::uint32_t core, CycleClass cycle_class, Cycle end) {
  for (std::size_t pipe = 0; pipe < isa::kPipeCount; ++pipe) {
    fill(core, static_cast<Pipe>(pipe), cycle_class, end);
  }
}

void PipeStates::block_begins(const BlockBegin& event) {
  fill_all(event.core, CycleClass::kDone, event.given);
  fill_all(event.core, CycleClass::kLaunch, event.start);
}

void PipeStates::block(const BlockEvent& event) {
  cores_.at(event.core).scalar.block(event, [&](CycleClass cycle_class, Cycle end) {
    fill(event.core, Pipe::S, cycle_class, end);
  });
  fill_all(event.core, CycleClass::kDone, event.end);
}

void PipeStates::launch_ends(const LaunchReport& report) {
  for (std::uint32_t core = 0; core < cores_.size(); ++core) {
    fill_all(core, CycleClass::kDone, report.start + report.cycles);
  }
}

}  // namespace davsim::traces
