#include "sim/core/timed_core.hpp"

#include <algorithm>

#include "isa/exec/accesses.hpp"
#include "sim/unit/dma_engine.hpp"
#include "sim/unit/fixpipe_engine.hpp"
#include "sim/unit/unit_models.hpp"

namespace davsim::sim {

using memory::current_cycle;
using observe::CycleClass;

TimedCore::TimedCore(sc_core::sc_module_name name, observe::CoreDescription place,
                     const SocConfig& soc, const TimingTable& timing,
                     const isa::GlobalAddressMap& global, std::uint64_t gm_base,
                     memory::MemoryPortIf& memory_port, CoreHost& host)
    : Core(name, std::move(place), soc, global, host),
      timing_(timing),
      frequency_mhz_(soc.frequency_mhz()),
      gm_base_(gm_base),
      memory_port_(memory_port),
      unit_flags_(buffer_size(isa::Space::kL0C)),
      data_cache_(timing.scalar.dcache_bytes, timing.scalar.dcache_line, timing.scalar.dcache_ways),
      code_(type() == isa::CoreType::AIC ? timing.scalar.aic_icache_bytes
                                         : timing.scalar.aiv_icache_bytes,
            timing.scalar.icache_line, timing.scalar.call_bytes),
      call_sites_(host.call_sites()) {
  for (const isa::Pipe id : {isa::Pipe::V, isa::Pipe::M, isa::Pipe::MTE1, isa::Pipe::MTE2,
                             isa::Pipe::MTE3, isa::Pipe::FIX}) {
    if (isa::has_pipe(type(), id)) add_pipe(id, model_for(id));
  }
  unit_flags_.connect(pipe(isa::Pipe::M), pipe(isa::Pipe::FIX));
}

std::unique_ptr<UnitModel> TimedCore::model_for(isa::Pipe id) {
  const memory::RequesterId requester =
      index() * kRequestersPerCore + static_cast<std::uint32_t>(id);
  switch (id) {
    case isa::Pipe::V:
      return std::make_unique<VectorModel>(timing_.vector);
    case isa::Pipe::M:
      return std::make_unique<CubeModel>(timing_.cube, unit_flags_);
    case isa::Pipe::MTE1:
      return std::make_unique<Mte1Model>(timing_.mte1);
    case isa::Pipe::FIX:
      return std::make_unique<FixpipeEngine>(timing_, memory_port_, requester, gm_base_,
                                             unit_flags_);
    default:
      return std::make_unique<DmaEngine>(timing_, type(), memory_port_, requester, gm_base_,
                                         move_cost);
  }
}

void TimedCore::add_pipe(isa::Pipe id, std::unique_ptr<UnitModel> model) {
  auto* engine = dynamic_cast<DmaEngine*>(model.get());
  auto& pipe = pipes_[static_cast<std::size_t>(id)];
  pipe = std::make_unique<Pipe>(std::string(isa::pipe_name(id)).c_str(), id,
                                timing_.scalar.queue_depth, *this, std::move(model));
  if (engine != nullptr) engine->connect(pipe.get());
}

// --- the scalar unit -----------------------------------------------------------------------------

void TimedCore::look_at_pipes(const isa::Instr& instr) {
  await_code(instr.where, instr.op);
  const Cycle began = scalar_time_;
  spend(issue_cycles(instr), instr.where);
  if (instr.pipe == isa::Pipe::ALL) {
    barrier_of_all(instr);
  } else if (instr.op == isa::Opcode::kClearUnitFlags) {
    catch_up();  // what the pipes did before this counts
    unit_flags_.reset();
    pipe(isa::Pipe::M)->wake_at(current_cycle());
    report_scalar(instr, began, scalar_time_, 0);
  } else {
    scalar_sync(instr);
  }
}

void TimedCore::barrier_of_all(const isa::Instr& instr) {
  const Cycle start = scalar_time_;
  wait_until_idle(CycleClass::kBarrier, instr.where);
  host().effects().settle();  // the kernel may now read global memory through a pointer
  if (watcher() != nullptr) watcher()->drained(instr.where);
  report_scalar(instr, start, scalar_time_, 0);
}

void TimedCore::scalar_sync(const isa::Instr& instr) {
  const Cycle start = scalar_time_;
  catch_up();
  QueueEntry entry;
  entry.instr = instr;
  if (instr.op == isa::Opcode::kSetFlag) issued(entry);
  if (signal(entry)) {
    report_scalar(instr, start, scalar_time_, entry.flow);
    return;
  }
  const bool cross = instr.op == isa::Opcode::kCrossCoreWaitFlag;
  const CycleClass cause = cross ? CycleClass::kWaitCrossCore : CycleClass::kWaitFlag;
  const auto* flag = std::get_if<isa::FlagParams>(&instr.params);
  Cycle retry = kNever;
  stand_still(
      {cause, wait_name(instr), instr.where, flag != nullptr ? flag->set_pipe : isa::Pipe::ALL,
       instr},
      [&] {
        retry = kNever;
        const bool passed = try_wait(entry, current_cycle(), retry);
        if (!passed && retry != kNever) resume_.notify(memory::until(retry));
        return passed;
      },
      &entry.set_at);
  host().effects().settle();
  issued(entry);
  report_scalar(instr, start, scalar_time_, entry.flow);
}

void TimedCore::wait_until_idle(CycleClass cause, isa::SourceLocation where) {
  catch_up();
  stand_still({cause, "all pipes", where}, [&] { return all_idle(); });
}

bool TimedCore::all_idle() const {
  return std::all_of(pipes_.begin(), pipes_.end(),
                     [](const auto& pipe) { return pipe == nullptr || pipe->idle(); });
}

void TimedCore::catch_up() {
  if (scalar_time_ > current_cycle()) pause(memory::until(scalar_time_));
}

template <class Ready>
void TimedCore::stand_still(const Wait& reason, Ready ready, const isa::SourceLocation* set_at) {
  standing_still_ = true;
  wait_ = reason;
  while (!ready()) pause(resume_);
  standing_still_ = false;
  account_wait(set_at);
}

void TimedCore::account_wait(const isa::SourceLocation* set_at) {
  scalar_time_ = std::max(scalar_time_, current_cycle());
  if (wait_.cause == CycleClass::kDone) {
    scalar_account_.fill(CycleClass::kDone, scalar_time_);
    return;
  }
  scalar_account_.fill(
      {wait_.cause, wait_.from, wait_.where, set_at != nullptr ? *set_at : isa::SourceLocation{}},
      scalar_time_);
}

void TimedCore::drain() {
  reach();
  const Cycle issued = scalar_time_;
  wait_until_idle(CycleClass::kDone, {});
  if (watcher() != nullptr) watcher()->drained({});
  data_cache_.clean_and_invalidate(0, 0, write_back());
  counters_.end = scalar_time_;
  if (host().observer() != nullptr) {
    host().observer()->block({index(), identity().block_idx, block_start_, issued, scalar_time_});
  }
}

std::uint64_t TimedCore::cycle() {
  reach();
  return scalar_time_;
}

std::uint64_t TimedCore::system_cycle() {
  reach();
  return static_cast<std::uint64_t>(static_cast<double>(scalar_time_) *
                                    static_cast<double>(isa::kSystemCounterMhz) / frequency_mhz_);
}

void TimedCore::report_scalar(const isa::Instr& instr, Cycle start, Cycle end, std::uint64_t flow,
                              Cycle waited_for_memory) {
  if (host().observer() == nullptr) return;
  host().observer()->instruction({index(), &instr, start, start, end, flow, waited_for_memory,
                                  waited_for_memory, CycleClass::kMemory, 0});
}

// --- what pipes ask of their core
// -------------------------------------------------------------------

void TimedCore::issued(const QueueEntry& entry) {
  if (watcher() == nullptr) return;
  if (isa::accesses_depend_on_contents(entry.instr)) host().effects().settle();
  watcher()->issued(entry.instr);
}

void TimedCore::retired(Pipe& from, QueueEntry& entry) {
  const isa::Instr& instr = entry.instr;
  if (instr.opcode_info().unit == isa::Unit::Sync) {
    signal(entry);
  } else {
    // With the unit flag the cube may overwrite blocks that a Fixpipe has read but not yet written
    // out: a Fixpipe that began before this Mmad did takes effect before it.
    if (instr.op == isa::Opcode::kMmad && pipe(isa::Pipe::FIX) != nullptr) {
      pipe(isa::Pipe::FIX)->for_each_in_flight([&](QueueEntry& fixpipe) {
        if (fixpipe.start < entry.start) apply(fixpipe);
      });
    }
    apply(entry);
    count_work(entry.lanes != 0 ? InstrWork{.lanes = entry.lanes} : work_of(instr));
  }
  static_cast<void>(from);
  if (host().observer() != nullptr) {
    const bool held = entry.blocked_by == CycleClass::kUnitFlag && entry.blocked_since != kNever;
    host().observer()->instruction(
        {index(), &instr, entry.dispatched, entry.start, entry.done, entry.flow, entry.stall.cycles,
         entry.stall_counted, entry.stall.cause, held ? entry.start - entry.blocked_since : 0});
  }
}

void TimedCore::apply(QueueEntry& entry) {
  if (entry.applied) return;
  if (host().computes_values()) host().effects().give(entry.instr, index());
  if (watcher() != nullptr) watcher()->ended(entry.instr);
  entry.applied = true;
}

bool TimedCore::signal(QueueEntry& entry) {
  const isa::Instr& instr = entry.instr;
  const Cycle now = current_cycle();
  if (instr.op == isa::Opcode::kCrossCoreSetFlag) {
    entry.flow = host().new_flow();
    host().cross_core_flags().set(index(), std::get<isa::CrossCoreFlagParams>(instr.params), now,
                                  entry.flow, instr.where);
    return true;
  }
  if (instr.op != isa::Opcode::kSetFlag) return false;
  const auto& flag = std::get<isa::FlagParams>(instr.params);
  entry.flow = host().new_flow();
  flags().set(flag, entry.flow, instr.where);
  if (flag.wait_pipe == isa::Pipe::S) {
    if (standing_still_) resume_.notify();
  } else if (Pipe* waiter = pipe(flag.wait_pipe)) {
    waiter->wake_at(now);
  }
  return true;
}

bool TimedCore::try_wait(QueueEntry& entry, Cycle now, Cycle& retry) {
  const isa::Instr& instr = entry.instr;
  if (instr.op == isa::Opcode::kWaitFlag) {
    return flags().take(std::get<isa::FlagParams>(instr.params), entry.flow, entry.set_at);
  }
  Cycle arrival = kNever;
  const auto id = std::get<isa::CrossCoreFlagParams>(instr.params).id;
  const auto taken =
      host().cross_core_flags().take(index(), id, now, arrival, entry.flow, entry.set_at);
  if (taken == CrossCoreFlags::Take::kLater) retry = arrival;
  return taken == CrossCoreFlags::Take::kTaken;
}

void TimedCore::drained(Pipe&) {
  if (standing_still_ && (wait_.cause == CycleClass::kBarrier || wait_.cause == CycleClass::kDone))
    resume_.notify();
}

void TimedCore::fault_in(Pipe&, const QueueEntry& entry, const isa::Fault& fault) {
  fail(fault, &entry.instr);
}

// --- launches
// ---------------------------------------------------------------------------------------

void TimedCore::begin_launch(Cycle start) {
  counters_ = {};
  scalar_instructions_ = 0;
  scalar_time_ = start;
  scalar_account_.begin(start, host().keeps_lines());
  unit_flags_.reset();
  data_cache_.drop_all();
  code_.begin_launch();
  code_reads_ = 0;
  code_base_ = host().code_base(type());
  fetches_.pending.clear();
  preloads_.pending.clear();
  preloaded_ = {};
  for (auto& pipe : pipes_) {
    if (pipe != nullptr) pipe->begin_launch(start, host().keeps_lines());
  }
}

void TimedCore::begin_block(Cycle cycle) {
  const Cycle given = std::max(current_cycle(), scalar_time_);
  for (auto& pipe : pipes_) {
    if (pipe != nullptr) pipe->begin_block(given, cycle);
  }
  if (host().observer() != nullptr) {
    host().observer()->block_begins({index(), identity().block_idx, given, cycle});
  }
  scalar_account_.fill(CycleClass::kDone, given);
  scalar_account_.fill(CycleClass::kLaunch, cycle);
  scalar_time_ = block_start_ = cycle;
  if (counters_.start == 0 && counters_.end == 0) counters_.start = cycle;
}

void TimedCore::end_launch(Cycle end, observe::CoreCounters& counters) {
  counters = counters_;
  counters.name = report_name();
  counters.code.reads = code_reads_;
  counters.type = type();
  counters.ai_core = place().ai_core;
  counters.sub_block = place().sub_block;
  for (std::size_t i = 0; i < isa::kPipeCount; ++i) {
    if (pipes_[i] != nullptr) counters.pipes[i] = pipes_[i]->counters(end);
  }
  scalar_account_.fill(CycleClass::kDone, end);
  const Cycle busy = scalar_cycles(CycleClass::kBusy);
  counters.pipes[static_cast<std::size_t>(isa::Pipe::S)] = {
      scalar_instructions_, busy, scalar_account_.cycles(), scalar_account_.lines()};
}

void TimedCore::cross_core_arrival(Cycle cycle) {
  for (auto& pipe : pipes_) {
    if (pipe != nullptr) pipe->wake_at(cycle);
  }
  // The scalar unit looks at once and then comes back by itself at the arrival.
  if (standing_still_ && wait_.cause == CycleClass::kWaitCrossCore) {
    resume_.notify(sc_core::SC_ZERO_TIME);
  }
}

void TimedCore::abort() {
  program_.clear();
  awaits_room_ = awaits_code_ = false;
  for (auto& pipe : pipes_) {
    if (pipe != nullptr) pipe->abort();
  }
  unit_flags_.reset();
  resume_.notify(sc_core::SC_ZERO_TIME);
  line_arrives_.notify(sc_core::SC_ZERO_TIME);
}

WaitPoint TimedCore::wait_point(const Wait& wait) const {
  const std::string at =
      wait.where.line() == 0 ? "the kernel's end" : observe::short_line(wait.where);
  WaitPoint point =
      Core::wait_point(isa::Pipe::S, wait.instr,
                       "scalar unit: " + std::string(observe::cycle_class_name(wait.cause)) + " (" +
                           wait.what + ") at " + at);
  point.where = wait.where;
  if (wait.cause == CycleClass::kQueueFull) {
    point.what = WaitPoint::For::kRoom;
    point.full = wait.instr.pipe;
  } else if (wait.cause == CycleClass::kMemory) {
    point.what = WaitPoint::For::kMemory;
  }
  return point;
}

std::vector<WaitPoint> TimedCore::waits() const {
  std::vector<WaitPoint> points;
  if (awaits_room_) {
    const isa::Instr& next = program_.front();
    points.push_back(wait_point({CycleClass::kQueueFull, std::string(isa::pipe_name(next.pipe)),
                                 next.where, next.pipe, next}));
  } else if (standing_still_) {
    points.push_back(wait_point(wait_));
  }
  for (const auto& pipe : pipes_) {
    if (pipe == nullptr || pipe->stuck() == nullptr) continue;
    const isa::Instr& instr = pipe->stuck()->instr;
    points.push_back(Core::wait_point(pipe->id(), instr, describe_wait(instr)));
  }
  return points;
}

bool TimedCore::at_rest() const {
  const bool stands = awaits_room_ || (standing_still_ && wait_.cause != CycleClass::kMemory);
  if (!stands) return false;
  return std::all_of(pipes_.begin(), pipes_.end(),
                     [](const auto& pipe) { return pipe == nullptr || pipe->nothing_in_flight(); });
}

bool TimedCore::set_queued(const isa::FlagParams& flag) const {
  const auto& pipe = pipes_[static_cast<std::size_t>(flag.set_pipe)];
  return pipe != nullptr && pipe->any_queued([&](const QueueEntry& entry) {
    return entry.instr.op == isa::Opcode::kSetFlag &&
           std::get<isa::FlagParams>(entry.instr.params).same_event(flag);
  });
}

}  // namespace davsim::sim
