#include "sim/core/scalar_unit.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace davsim::sim {

using memory::current_cycle;
using observe::CycleClass;

ScalarUnit::ScalarUnit(Core& core, const TimingTable& timing, memory::RequesterId first_requester,
                       PipeSet& pipes, CoreSync& sync)
    : core_(core),
      timing_(timing.scalar),
      data_requester_(first_requester + kDataCacheRequester),
      pipes_(pipes),
      sync_(sync),
      code_(timing_, core.type(), core.machine().memory_port,
            first_requester + static_cast<std::uint32_t>(isa::Pipe::S), core.machine().call_sites,
            *this),
      data_cache_(timing_.dcache_bytes, timing_.dcache_line, timing_.dcache_ways),
      costs_(timing_) {}

// --- waits on pipes and flags --------------------------------------------------------------------

void ScalarUnit::look_at_pipes(const isa::DecodedInstr& instr) {
  const ScalarCost cost = costs_.next(instr);
  await_code(instr.where, instr.op, cost);
  await_loads(instr.where);
  const Cycle began = time_;
  spend(issue_cycles(instr) + cost.call, instr.where);
  if (instr.pipe == isa::Pipe::ALL) {
    barrier_of_all(instr);
  } else if (instr.op == isa::Opcode::kClearUnitFlags) {
    catch_up();  // earlier instructions of the pipes have set their unit flags by then
    pipes_.clear_unit_flags(current_cycle());
    report(instr, began, time_, 0);
  } else {
    synchronise(instr);
  }
}

void ScalarUnit::barrier_of_all(const isa::DecodedInstr& instr) {
  const Cycle start = time_;
  wait_until_idle(CycleClass::kBarrier, instr.where);
  // The kernel may now read its own buffers and global memory through a pointer.
  core_.machine().effects.settle_seen_by(core_.index());
  if (core_.watcher() != nullptr) core_.watcher()->drained(instr.where);
  report(instr, start, time_, 0);
}

void ScalarUnit::synchronise(const isa::DecodedInstr& instr) {
  const Cycle start = time_;
  catch_up();
  QueueEntry entry;
  entry.instr = instr;
  if (instr.op == isa::Opcode::kSetFlag) core_.tell_issued(instr);
  if (sync_.signal(entry)) {
    report(instr, start, time_, entry.flow);
    return;
  }
  const bool cross = instr.op == isa::Opcode::kCrossCoreWaitFlag;
  const CycleClass cause = cross ? CycleClass::kWaitCrossCore : CycleClass::kWaitFlag;
  const auto* flag = std::get_if<isa::FlagParams>(&instr.params);
  Cycle retry = kNever;
  stall(
      {cause, flag != nullptr ? flag->set_pipe : isa::Pipe::ALL, nullptr, instr.where, &instr},
      [&] {
        retry = kNever;
        const bool passed = sync_.try_wait(entry, current_cycle(), retry);
        if (!passed && retry != kNever) resume_.notify(memory::until(retry));
        return passed;
      },
      &entry.set_at);
  core_.machine().effects.settle_seen_by(core_.index());
  core_.tell_issued(instr);
  report(instr, start, time_, entry.flow);
}

void ScalarUnit::wait_until_idle(CycleClass cause, isa::SourceLocation where) {
  // Nobody else gives these pipes work: where they become idle before the unit's own time, they
  // still are then. Most often they do later, and the thread is suspended once.
  stall({cause, isa::Pipe::ALL, "all pipes", where}, [&] { return pipes_.all_idle(); });
  catch_up();
}

// --- time ----------------------------------------------------------------------------------------

void ScalarUnit::catch_up() {
  if (time_ > current_cycle()) core_.pause(memory::until(time_));
}

void ScalarUnit::catch_up_unless(bool independent) {
  // A loop that does not end must let simulated time go on: after so many cycles, a choice. An
  // observer hears of all cores in the order of time.
  constexpr Cycle kMostAhead = 10000;
  const bool runs_ahead =
      independent && time_ < current_cycle() + kMostAhead && core_.reports().observer() == nullptr;
  if (!runs_ahead) catch_up();
}

template <class Ready>
void ScalarUnit::stall(const StallReason& reason, Ready ready, const isa::SourceLocation* set_at) {
  stalled_ = true;
  stall_reason_ = reason;
  while (!ready()) core_.pause(resume_);
  stalled_ = false;
  account_stall(set_at);
}

void ScalarUnit::account_stall(const isa::SourceLocation* set_at) {
  time_ = std::max(time_, current_cycle());
  if (stall_reason_.cause == CycleClass::kDone) {
    account_.fill(CycleClass::kDone, time_);
    return;
  }
  account_.fill({stall_reason_.cause, stall_reason_.from, stall_reason_.where,
                 set_at != nullptr ? *set_at : isa::SourceLocation{}},
                time_);
}

void ScalarUnit::report(const isa::DecodedInstr& instr, Cycle start, Cycle end, std::uint64_t flow,
                        Cycle waited_for_memory) {
  observe::Observer* observer = core_.reports().observer();
  if (observer == nullptr) return;
  observer->instruction({core_.index(), &instr, start, start, end, flow, waited_for_memory,
                         waited_for_memory, CycleClass::kMemory, 0});
}

// --- what the pipes and other cores tell ---------------------------------------------------------

void ScalarUnit::pipe_drained() {
  const CycleClass cause = stall_reason_.cause;
  if (stalled_ && (cause == CycleClass::kBarrier || cause == CycleClass::kDone)) resume_.notify();
}

void ScalarUnit::flag_set() {
  if (stalled_) resume_.notify();
}

void ScalarUnit::cross_core_flag_coming() {
  // The unit tries the wait again now. The wait then schedules its next try at the arrival.
  if (stalled_ && stall_reason_.cause == CycleClass::kWaitCrossCore) {
    resume_.notify(sc_core::SC_ZERO_TIME);
  }
}

// --- launches ------------------------------------------------------------------------------------

void ScalarUnit::begin_launch(Cycle start, std::uint64_t code_base) {
  instructions_ = 0;
  time_ = start;
  account_.begin(start, core_.reports().by_line());
  data_cache_.drop_all();
  code_.begin_launch(code_base);
  code_counters_ = {};
}

void ScalarUnit::begin_block(Cycle given, Cycle start) {
  account_.fill(CycleClass::kDone, given);
  account_.fill(CycleClass::kLaunch, start);
  time_ = start;
  loaded_ = ub_free_ = 0;
  costs_.begin_block(core_.kernel_traits().scalar_work);
}

void ScalarUnit::end_launch(Cycle end, observe::CoreCounters& counters) {
  account_.fill(CycleClass::kDone, end);
  counters.code = code_counters_;
  counters.pipes[static_cast<std::size_t>(isa::Pipe::S)] = {
      instructions_, cycles_of(CycleClass::kBusy), account_.cycles(), account_.lines()};
}

void ScalarUnit::abort() {
  program_.clear();
  awaits_room_ = awaits_code_ = stalled_ = false;
  resume_.notify(sc_core::SC_ZERO_TIME);
  line_arrives_.notify(sc_core::SC_ZERO_TIME);
}

// --- deadlocks -----------------------------------------------------------------------------------

void ScalarUnit::add_wait(std::vector<WaitPoint>& points) const {
  if (awaits_room_) {
    const isa::DecodedInstr& next = program_.front();
    points.push_back(wait_point(
        {CycleClass::kQueueFull, next.pipe, isa::pipe_name(next.pipe).data(), next.where, &next}));
  } else if (stalled_) {
    points.push_back(wait_point(stall_reason_));
  }
}

namespace {

/// The destructor of a TPipe is the one call without a line of the kernel: what it waits for keeps
/// nothing from being set, as at the kernel's end.
bool is_end_of_tpipe(const isa::SourceLocation& where) {
  return std::string_view(where.file_name()).ends_with("/ascendc/tpipe.h");
}

}  // namespace

WaitPoint ScalarUnit::wait_point(const StallReason& reason) const {
  const bool ends_tpipe = is_end_of_tpipe(reason.where);
  const std::string at = reason.where.line() == 0 ? "the kernel's end"
                         : ends_tpipe             ? "the end of its TPipe"
                                                  : observe::short_line(reason.where);
  const isa::Instr none;
  const isa::Instr& instr = reason.instr != nullptr ? *reason.instr : none;
  const std::string what = reason.what != nullptr ? reason.what : wait_name(instr);
  WaitPoint point =
      core_.wait_point(isa::Pipe::S, instr,
                       "scalar unit: " + std::string(observe::cycle_class_name(reason.cause)) +
                           " (" + what + ") at " + at);
  point.where = ends_tpipe ? isa::SourceLocation() : reason.where;
  if (reason.cause == CycleClass::kQueueFull) {
    point.what = WaitPoint::For::kRoom;
    point.full = instr.pipe;
  } else if (reason.cause == CycleClass::kMemory) {
    point.what = WaitPoint::For::kMemory;
  }
  return point;
}

bool ScalarUnit::at_rest() const {
  // Instructions that the unit has dispatched for later are still to start.
  return awaits_room_ ||
         (stalled_ && stall_reason_.cause != CycleClass::kMemory && time_ <= current_cycle());
}

}  // namespace davsim::sim
