#include "sim/core/core_sync.hpp"

#include "memory/cycle.hpp"

namespace davsim::sim {

bool CoreSync::signal(QueueEntry& entry) {
  const isa::DecodedInstr& instr = entry.instr;
  const Cycle now = memory::current_cycle();
  if (instr.op == isa::Opcode::kCrossCoreSetFlag) {
    entry.flow = environment_.reports.new_flow();
    environment_.machine.flags.set(core_, std::get<isa::CrossCoreFlagParams>(instr.params), now,
                                   entry.flow, instr.where);
    return true;
  }
  if (instr.op != isa::Opcode::kSetFlag) return false;
  const auto& flag = std::get<isa::FlagParams>(instr.params);
  entry.flow = environment_.reports.new_flow();
  flags_.set(flag, entry.flow, instr.where);
  if (flag.wait_pipe == isa::Pipe::S) return true;
  if (Pipe* waiter = pipes_.find(flag.wait_pipe)) waiter->wake_at(now);
  return true;
}

bool CoreSync::try_wait(QueueEntry& entry, Cycle now, Cycle& retry) {
  const isa::DecodedInstr& instr = entry.instr;
  if (instr.op == isa::Opcode::kWaitFlag) {
    return flags_.take(std::get<isa::FlagParams>(instr.params), entry.flow, entry.set_at);
  }
  Cycle arrival = kNever;
  const auto id = std::get<isa::CrossCoreFlagParams>(instr.params).id;
  const auto taken =
      environment_.machine.flags.take(core_, id, now, arrival, entry.flow, entry.set_at);
  if (taken == CrossCoreFlags::Take::kLater) retry = arrival;
  return taken == CrossCoreFlags::Take::kTaken;
}

}  // namespace davsim::sim
