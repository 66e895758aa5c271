// Which class every cycle of a pipe has, as intervals in the order of time: what waveforms and
// pages draw. The sums over a launch are those of the launch's report.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "traces/observed.hpp"
#include "traces/timeline/scalar_states.hpp"

namespace davsim::traces {

/// The cycles [begin, end) of a pipe have this class. The intervals of a pipe follow one another
/// without gaps, from the start of a launch to its end; two in a row may have the same class.
using StateSink = std::function<void(std::uint32_t core, isa::Pipe pipe, CycleClass cycle_class,
                                     Cycle begin, Cycle end)>;

/// Derives the classes from what instructions and blocks tell. The last part of an instruction that
/// was stalled counts as its stall. The states of pipe S are those of ScalarStates.
class PipeStates {
 public:
  explicit PipeStates(StateSink sink) : sink_(std::move(sink)) {}

  void launch_begins(const LaunchDescription& launch);
  void instruction(const InstrEvent& event);
  void block_begins(const BlockBegin& event);
  void block(const BlockEvent& event);
  void launch_ends(const LaunchReport& report);

 private:
  struct Core {
    std::array<Cycle, isa::kPipeCount> until{};  ///< the time before has its class
    ScalarStates scalar;
  };

  /// Gives the time up to `end` to this class, unless it has a class already.
  void fill(std::uint32_t core, isa::Pipe pipe, CycleClass cycle_class, Cycle end);
  void fill_all(std::uint32_t core, CycleClass cycle_class, Cycle end);

  StateSink sink_;
  std::vector<Core> cores_;  ///< by id
};

}  // namespace davsim::traces
