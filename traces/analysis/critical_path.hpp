// The chain of causes from the end of a launch back to its start: what the last instruction waited
// for, what that waited for, and so on, through pipes, flags, the scalar unit and other cores.
#pragma once

#include <vector>

#include "traces/timeline/timeline.hpp"

namespace davsim::traces {

/// A piece of the path: what the time [begin, end) was spent on.
struct PathStep {
  std::uint32_t core = 0;
  isa::Pipe pipe = isa::Pipe::S;
  /// kBusy, kMemory, kBankConflict: the pipe's instruction, or, of pipe S without a name, the
  /// scalar unit that issues; kWaitCrossCore: a flag on its way to another core; kLaunch: a block
  /// being dispatched, or a die that begins behind others.
  CycleClass cycle_class = CycleClass::kBusy;
  std::uint32_t name = 0, line = 0;  ///< indices into Timeline::texts
  Cycle begin = 0, end = 0;
};

/// Steps in the order of time, without gaps, from the start of the launch to its end: shorten one
/// of them and the launch becomes shorter, until another chain is the longest. Where an instruction
/// was stalled by memory or banks for a part of its time, its step is split in that proportion.
std::vector<PathStep> critical_path(const Timeline& timeline);

}  // namespace davsim::traces
