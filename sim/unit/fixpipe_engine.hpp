// Fixpipe moves L0C to global memory or L1. This model has the row costs that were fitted on
// silicon and Fixpipe's side of the unit-flag protocol with the cube. It also moves L1 to FB, in
// the same queue.
#pragma once

#include "sim/unit/dma_engine.hpp"
#include "sim/unit/unit_flags.hpp"

namespace davsim::sim {

class FixpipeEngine : public DmaEngine {
 public:
  FixpipeEngine(const TimingTable& timing, memory::MemoryPortIf& port,
                memory::RequesterId requester, std::uint64_t gm_base, UnitFlags& unit_flags);
  bool blocked(const QueueEntry& entry, Cycle now, Cycle& retry) override;
  Cycle start(QueueEntry& entry, Cycle now) override;

 private:
  UnitFlags& unit_flags_;
};

PortCost fixpipe_cost(const isa::Instr& instr, const TimingTable& timing, isa::CoreType core);

}  // namespace davsim::sim
