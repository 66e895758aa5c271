// What a page shows of a launch beyond its timeline: the class of every cycle, the bytes of each
// tensor, the bandwidth of the memories over time.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "traces/observed.hpp"
#include "traces/timeline/pipe_states.hpp"

namespace davsim::traces {

/// The classes of a pipe's cycles from the start of the launch on. Neighbours differ.
class StateTrack {
 public:
  struct State {
    CycleClass cycle_class;
    Cycle cycles;
  };

  void add(CycleClass cycle_class, Cycle cycles);
  /// Sorts the states within each window of `grain` cycles by class and joins them: fewer states,
  /// of which every class has the same share of each window as before.
  void coarsen(Cycle grain);
  const std::vector<State>& states() const { return states_; }

 private:
  std::vector<State> states_;
};

/// Keeps the launch that ran last.
class HtmlRecorder : public Observer {
 public:
  static constexpr std::uint64_t kNoPlace = ~std::uint64_t{0};

  /// Bytes that moves and the Fixpipe moved at one place of global memory.
  struct Moved {
    std::uint64_t read = 0, written = 0, moves = 0;
  };
  struct Core {
    std::array<StateTrack, isa::kPipeCount> tracks;
    /// The first byte in global memory that an instruction moves, from the start of the memory, or
    /// kNoPlace: in the order of TimelineCore::pipes.
    std::array<std::vector<std::uint64_t>, isa::kPipeCount> places;
  };

  void launch_begins(const LaunchDescription& launch) override;
  void instruction(const InstrEvent& event) override;
  void block_begins(const BlockBegin& event) override { states_.block_begins(event); }
  void block(const BlockEvent& event) override { states_.block(event); }
  void memory_sample(const MemorySample& sample) override { samples_.push_back(sample); }
  void launch_ends(const LaunchReport& report) override { states_.launch_ends(report); }

  std::vector<Core>& cores() { return cores_; }                                     ///< by id
  const std::unordered_map<std::uint64_t, Moved>& moved() const { return moved_; }  ///< by place
  const std::vector<MemorySample>& samples() const { return samples_; }

 private:
  std::uint64_t place_of(const isa::Instr& instr);

  std::vector<Core> cores_;
  std::unordered_map<std::uint64_t, Moved> moved_;
  std::vector<MemorySample> samples_;
  std::uint64_t gm_base_ = 0;
  PipeStates states_{
      [this](std::uint32_t core, isa::Pipe pipe, CycleClass cycle_class, Cycle begin, Cycle end) {
        cores_[core].tracks[static_cast<std::size_t>(pipe)].add(cycle_class, end - begin);
      }};
};

}  // namespace davsim::traces
