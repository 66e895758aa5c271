// Flags as a core sees them: what sets and waits do when they start. Pipes and the scalar unit
// share this code.
#pragma once

#include "sim/core/core_environment.hpp"
#include "sim/core/pipe_set.hpp"
#include "sim/sync/event_flags.hpp"

namespace davsim::sim {

class CoreSync {
 public:
  CoreSync(std::uint32_t core, EventFlags& flags, CoreEnvironment& environment, PipeSet& pipes)
      : core_(core), flags_(flags), environment_(environment), pipes_(pipes) {}

  /// If `entry` is a set, sets the flag now and wakes the pipe that may wait for it. Returns
  /// whether `entry` is a set. Throws isa::Fault(kFlag).
  bool signal(QueueEntry& entry);
  /// Returns whether the wait `entry` ends at `now`. If not, `retry` is the cycle at which to try
  /// again, or kNever if the set of the flag wakes the waiting pipe.
  bool try_wait(QueueEntry& entry, Cycle now, Cycle& retry);

 private:
  std::uint32_t core_;
  EventFlags& flags_;
  CoreEnvironment& environment_;
  PipeSet& pipes_;
};

/// Whether an instruction sets a flag that the scalar unit waits for.
inline bool sets_for_scalar(const isa::Instr& instr) {
  const auto* flag = std::get_if<isa::FlagParams>(&instr.params);
  return instr.op == isa::Opcode::kSetFlag && flag != nullptr && flag->wait_pipe == isa::Pipe::S;
}

}  // namespace davsim::sim
