#include "sim/core/functional_core.hpp"

#include <algorithm>
#include <cstring>

#include "isa/exec/execute.hpp"

namespace davsim::sim {
namespace {

/// The instructions that a kernel may emit ahead of a pipe that waits for another core.
constexpr std::size_t kQueueLimit = 1024;

/// Reads of global memory, and calls that clean the cache, after which the other cores run. Without
/// this limit a kernel that polls would never see the word that it waits for.
constexpr std::uint32_t kReadsPerTurn = 256;

bool uses_unit_flag(const isa::DecodedInstr& instr) {
  if (const auto* mmad = std::get_if<isa::MmadInstrParams>(&instr.params)) {
    return mmad->unit_flag != isa::UnitFlag::kOff;
  }
  const auto* fixpipe = std::get_if<isa::FixpipeInstrParams>(&instr.params);
  return fixpipe != nullptr && fixpipe->unit_flag != isa::UnitFlag::kOff;
}

}  // namespace

void FunctionalCore::take(const isa::DecodedInstr& instr) {
  ++emitted_;
  if (instr.pipe == isa::Pipe::ALL) {
    wait_for(instr, [this] { return all_idle(); });
    if (watcher() != nullptr) watcher()->drained(instr.where);
    return;
  }
  if (watcher() != nullptr && instr.pipe != isa::Pipe::S) watcher()->dispatched(instr);
  ++counters_.pipes[static_cast<std::size_t>(instr.pipe)].instructions;
  if (instr.src0.space == isa::Space::kGm) let_others_go_on();
  if (instr.pipe == isa::Pipe::S) {
    if (!run(instr, emitted_)) wait_for(instr, [&] { return run(instr, emitted_); });
    run_queues();
    return;
  }
  Queue& target = queue(instr.pipe);
  if (target.empty() && run(instr, emitted_)) {
    // Only a set can end the wait of another pipe of this core.
    if (instr.op == isa::Opcode::kSetFlag) run_queues();
    return;
  }
  target.push_back({instr, emitted_});
  if (target.size() >= kQueueLimit) {
    wait_for(target.front().instr, [&] { return target.size() < kQueueLimit; });
  }
}

bool FunctionalCore::held_by_unit_flag(const isa::DecodedInstr& instr, std::uint64_t number) {
  if (!uses_unit_flag(instr)) return false;
  const Queue& other = queue(instr.pipe == isa::Pipe::M ? isa::Pipe::FIX : isa::Pipe::M);
  return std::any_of(other.begin(), other.end(), [&](const Held& held) {
    return held.number < number && uses_unit_flag(held.instr);
  });
}

bool FunctionalCore::passes(const isa::DecodedInstr& instr) {
  std::uint64_t flow = 0;
  isa::SourceLocation set_at;
  if (instr.op == isa::Opcode::kWaitFlag) {
    return flags().take(std::get<isa::FlagParams>(instr.params), flow, set_at);
  }
  if (instr.op != isa::Opcode::kCrossCoreWaitFlag) return true;
  Cycle arrival = 0;
  const auto id = std::get<isa::CrossCoreFlagParams>(instr.params).id;
  return machine().flags.take(index_on_die(), id, 0, arrival, flow, set_at) ==
         CrossCoreFlags::Take::kTaken;
}

bool FunctionalCore::run(const isa::DecodedInstr& instr, std::uint64_t number) {
  if (held_by_unit_flag(instr, number) || !passes(instr)) return false;
  if (watcher() != nullptr) watcher()->issued(instr);
  switch (instr.op) {
    case isa::Opcode::kSetFlag:
      flags().set(std::get<isa::FlagParams>(instr.params), 0, instr.where);
      return true;
    case isa::Opcode::kCrossCoreSetFlag:
      machine().flags.set(index_on_die(), std::get<isa::CrossCoreFlagParams>(instr.params), 0, 0,
                          instr.where);
      machine().polls.something_happened();
      return true;
    case isa::Opcode::kWaitFlag:
    case isa::Opcode::kCrossCoreWaitFlag:
      return true;
    default:
      isa::execute(instr, memory());
      if (watcher() != nullptr) watcher()->ended(instr);
      count_work(work_of(instr));
      watch_polling(instr);
      return true;
  }
}

void FunctionalCore::watch_polling(const isa::DecodedInstr& instr) {
  if (instr.dst.space == isa::Space::kGm) {
    machine().polls.something_happened();
  } else if (instr.src0.space == isa::Space::kGm &&
             machine().polls.repeats(index(), instr.src0.addr)) {
    looks_in_vain();
  }
}

void FunctionalCore::run_queues() {
  for (bool moved = true; moved;) {
    moved = false;
    for (Queue& held : queues_) {
      while (!held.empty()) {
        try {
          if (!run(held.front().instr, held.front().number)) break;
        } catch (isa::Fault& fault) {
          throw described(std::move(fault), &held.front().instr);
        }
        held.pop_front();
        moved = true;
      }
    }
  }
}

void FunctionalCore::wait_for(const isa::DecodedInstr& what, const std::function<bool()>& ready) {
  const isa::DecodedInstr waits_at =
      what;  // a copy, because the queue may drop its front meanwhile
  scalar_wait_ = &waits_at;
  for (run_queues(); !ready(); run_queues()) pause(resume_);
  scalar_wait_ = nullptr;
}

void FunctionalCore::polled(bool found, isa::SourceLocation where) {
  Core::polled(found, where);
  if (!found) pause(sc_core::SC_ZERO_TIME);
}

void FunctionalCore::let_others_go_on() {
  if (++looks_ < kReadsPerTurn) return;
  looks_ = 0;
  pause(sc_core::SC_ZERO_TIME);
}

bool FunctionalCore::all_idle() const {
  return std::all_of(queues_.begin(), queues_.end(), [](const Queue& q) { return q.empty(); });
}

void FunctionalCore::drain() {
  const isa::DecodedInstr end{{isa::Opcode::kPipeBarrier, isa::Pipe::ALL, {}, {}, {}, {}, {}}, {}};
  wait_for(end, [this] { return all_idle(); });
  if (watcher() != nullptr) watcher()->drained({});
}

void FunctionalCore::load(const isa::Operand& from, void* to, std::size_t bytes,
                          isa::SourceLocation where) {
  if (from.space == isa::Space::kGm) let_others_go_on();
  std::memcpy(to, memory().at(from.space, from.addr, bytes), bytes);
  machine().polls.decided(index(), where);
  if (from.space == isa::Space::kGm) machine().polls.read(index(), from.addr);
  if (watcher() != nullptr) watcher()->scalar_loaded(from, bytes, where);
}

void FunctionalCore::store(const isa::Operand& to, const void* from, std::size_t bytes,
                           isa::SourceLocation where) {
  std::memcpy(memory().at(to.space, to.addr, bytes), from, bytes);
  if (to.space == isa::Space::kGm) machine().polls.something_happened();
  if (watcher() != nullptr) watcher()->scalar_stored(to, bytes, where);
}

std::byte* FunctionalCore::access_part(const isa::PointerAccess& part) {
  if (part.stores) {
    machine().polls.something_happened();
  } else {
    let_others_go_on();
    machine().polls.decided(index(), part.where);
    machine().polls.read(index(), part.addr);
  }
  tell_accessed(part);
  return reinterpret_cast<std::byte*>(part.addr);
}

/// A kernel that polls through pointers of C++ may make no other call: without the plugin, the
/// reads are not seen.
void FunctionalCore::clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes,
                                          isa::SourceLocation where) {
  if (!accepts_work()) return;
  if (watcher() != nullptr) watcher()->cache_cleaned(addr, bytes, where);
  let_others_go_on();
  if (machine().polls.repeats_dropping(index(), addr, where)) looks_in_vain();
}

std::uint64_t FunctionalCore::cycle() {
  machine().polls.something_happened();  // a loop may end by the time
  return emitted_;
}

void FunctionalCore::begin_launch(Cycle, std::uint64_t) {
  counters_ = {};
  emitted_ = 0;
}

void FunctionalCore::end_launch(Cycle, observe::CoreCounters& counters) {
  counters = counters_;
  describe(counters);
}

void FunctionalCore::cross_core_arrival(Cycle) {
  resume_.notify(sc_core::SC_ZERO_TIME);
}

void FunctionalCore::abort() {
  for (Queue& held : queues_) held.clear();
  resume_.notify(sc_core::SC_ZERO_TIME);
}

std::vector<WaitPoint> FunctionalCore::waits() const {
  std::vector<WaitPoint> points;
  if (scalar_wait_ != nullptr) {
    const std::string text = "scalar unit waits for " + describe_wait(*scalar_wait_);
    points.push_back(wait_point(isa::Pipe::S, *scalar_wait_, text));
  }
  for (const Queue& held : queues_) {
    if (held.empty()) continue;
    const isa::DecodedInstr& instr = held.front().instr;
    points.push_back(wait_point(instr.pipe, instr, describe_wait(instr)));
  }
  return points;
}

bool FunctionalCore::set_queued(const isa::FlagParams& flag) const {
  const Queue& held = queues_[static_cast<std::size_t>(flag.set_pipe)];
  return std::any_of(held.begin(), held.end(), [&](const Held& entry) {
    return entry.instr.op == isa::Opcode::kSetFlag &&
           std::get<isa::FlagParams>(entry.instr.params).same_event(flag);
  });
}

}  // namespace davsim::sim
