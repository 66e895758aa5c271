// What the scalar unit of a core does when. It tells of its own instructions only, so the rest
// comes from the cycles in which instructions entered the queues of the pipes.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "traces/observed.hpp"

namespace davsim::traces {

/// The class of a wait: for a flag of this core, or of another one.
CycleClass wait_class(isa::Opcode op);

class ScalarStates {
 public:
  /// The cycles up to `end` have this class, unless they have a class already.
  using Fill = std::function<void(CycleClass cycle_class, Cycle end)>;

  ScalarStates() = default;
  /// `queue_depth`: instructions that wait in the queue of a pipe at most; 0: not known.
  explicit ScalarStates(std::uint32_t queue_depth) : depth_(queue_depth) {}

  /// To be told of every instruction of the core, those of a pipe in the order of its queue.
  void instruction(const InstrEvent& event);
  /// Tells the classes of the block's cycles, in the order of time, and forgets the block.
  void block(const BlockEvent& event, const Fill& fill);

 private:
  /// Something that the unit did until `end`.
  struct Act {
    Cycle begin = 0, end = 0;
    Cycle stalled = 0;  ///< the last of these cycles
    CycleClass cycle_class = CycleClass::kBusy;
    CycleClass stall_class = CycleClass::kMemory;
  };

  void own(const InstrEvent& event);
  Cycle shortest_issue() const;

  std::uint32_t depth_ = 0;
  std::vector<Act> acts_;  ///< of the running block
  /// Cycles in which the last `depth_` instructions of a pipe left its queue.
  std::array<std::deque<Cycle>, isa::kPipeCount> issued_;
};

}  // namespace davsim::traces
