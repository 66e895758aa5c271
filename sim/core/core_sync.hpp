// A core's end of flags: what sets and waits do when their turn comes, whether a pipe issues them
// or the scalar unit.
#pragma once

#include "sim/core/core_environment.hpp"
#include "sim/core/pipe_set.hpp"
#include "sim/sync/event_flags.hpp"

namespace davsim::sim {

class CoreSync {
 public:
  CoreSync(std::uint32_t core, EventFlags& flags, CoreEnvironment& environment, PipeSet& pipes)
      : core_(core), flags_(flags), environment_(environment), pipes_(pipes) {}

  /// Sets the flag of a set now and wakes the pipe that may wait for it; false if `entry` is no
  /// set. Throws isa::Fault(kFlag).
  bool signal(QueueEntry& entry);
  /// Tries to pass a wait at `now`. False: it stays; `retry` says when to look again (kNever:
  /// whoever sets the flag wakes the pipe).
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
