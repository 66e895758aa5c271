#include "sim/core/pipe_set.hpp"

#include <string>

namespace davsim::sim {

PipeSet::PipeSet(const CoreSpec& spec, const TimingTable& timing, const SharedMachine& machine,
                 memory::RequesterId first_requester, PipeHost& host)
    : unit_flags_(spec.buffer_bytes(isa::Space::kL0C)) {
  for (const PipeSpec& pipe : spec.pipes) {
    const UnitContext context{pipe.id,
                              spec.type,
                              timing,
                              machine.memory_port,
                              first_requester + static_cast<std::uint32_t>(pipe.id),
                              machine.gm_base,
                              unit_flags_};
    auto& made = pipes_[static_cast<std::size_t>(pipe.id)];
    made = std::make_unique<Pipe>(std::string(isa::pipe_name(pipe.id)).c_str(), pipe.id,
                                  timing.scalar.queue_depth, host, machine.clock,
                                  make_unit(pipe.model, context));
    made->model().connect(made.get());
  }
  unit_flags_.connect(find(isa::Pipe::M), find(isa::Pipe::FIX));
}

bool PipeSet::set_queued(const isa::FlagParams& flag) const {
  const Pipe* pipe = find(flag.set_pipe);
  return pipe != nullptr && pipe->any_queued([&](const QueueEntry& entry) {
    return entry.instr.op == isa::Opcode::kSetFlag &&
           std::get<isa::FlagParams>(entry.instr.params).same_event(flag);
  });
}

void PipeSet::wake_at(Cycle cycle) {
  for_each([&](Pipe& pipe) { pipe.wake_at(cycle); });
}

void PipeSet::clear_unit_flags(Cycle now) {
  unit_flags_.reset();
  if (Pipe* cube = find(isa::Pipe::M)) cube->wake_at(now);
}

void PipeSet::begin_launch(Cycle start, bool by_line) {
  unit_flags_.reset();
  for_each([&](Pipe& pipe) { pipe.begin_launch(start, by_line); });
}

void PipeSet::begin_block(Cycle given, Cycle start) {
  for_each([&](Pipe& pipe) { pipe.begin_block(given, start); });
}

void PipeSet::end_launch(Cycle end, observe::CoreCounters& counters) {
  for_each([&](Pipe& pipe) {
    counters.pipes[static_cast<std::size_t>(pipe.id())] = pipe.counters(end);
  });
}

void PipeSet::abort() {
  for_each([](Pipe& pipe) { pipe.abort(); });
  unit_flags_.reset();
}

}  // namespace davsim::sim
