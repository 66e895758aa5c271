#include "sim/core/timed_core.hpp"

#include <algorithm>
#include <exception>

#include "sim/unit/instr_work.hpp"

namespace davsim::sim {

using memory::current_cycle;
using observe::CycleClass;

TimedCore::TimedCore(sc_core::sc_module_name name, observe::CoreDescription place,
                     const CoreSpec& spec, const TimingTable& timing, double frequency_mhz,
                     const CoreEnvironment& environment)
    : Core(name, std::move(place), spec, environment),
      frequency_mhz_(frequency_mhz),
      pipes_(spec, timing, machine(), index_on_die() * kRequestersPerCore, *this),
      sync_(index_on_die(), flags(), this->environment(), pipes_),
      scalar_(*this, timing, index_on_die() * kRequestersPerCore, pipes_, sync_) {}

// --- what the kernel asks for --------------------------------------------------------------------

void TimedCore::take(const isa::DecodedInstr& instr) {
  scalar_.emit(instr);
}

void TimedCore::load(const isa::Operand& from, void* to, std::size_t bytes,
                     isa::SourceLocation where) {
  scalar_.load(from, to, bytes, where);
}

void TimedCore::store(const isa::Operand& to, const void* from, std::size_t bytes,
                      isa::SourceLocation where) {
  scalar_.store(to, from, bytes, where);
}

std::byte* TimedCore::access_part(const isa::PointerAccess& part) {
  return scalar_.access(part);
}

void TimedCore::clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes,
                                     isa::SourceLocation where) {
  if (accepts_work()) scalar_.clean_and_invalidate(addr, bytes, where);
}

/// The compiler does not know that this call is there. It must not throw, or the kernel's objects
/// would not be destroyed: an aborted launch ends the kernel at its next call.
void TimedCore::scalar_work(isa::SourceLocation where) {
  if (std::uncaught_exceptions() == 0 && !environment().launch.aborting()) scalar_.work(where);
}

bool TimedCore::preloads_code(isa::SourceLocation where) {
  return accepts_work() && scalar_.preloads_code(where);
}

/// A kernel that is being unwound must not wait: the exception is that of a thread, and all cores
/// share one.
void TimedCore::reach() {
  if (accepts_work()) scalar_.reach();
}

std::uint64_t TimedCore::cycle() {
  machine().polls.something_happened();  // a loop may end by the time
  reach();
  return scalar_.time();
}

std::uint64_t TimedCore::system_cycle() {
  return static_cast<std::uint64_t>(static_cast<double>(cycle()) *
                                    static_cast<double>(isa::kSystemCounterMhz) / frequency_mhz_);
}

// --- what pipes ask of their core ----------------------------------------------------------------

void TimedCore::retired(Pipe&, QueueEntry& entry, const Stall& stall) {
  const isa::DecodedInstr& instr = entry.instr;
  if (instr.dst.space == isa::Space::kGm || instr.op == isa::Opcode::kCrossCoreSetFlag) {
    machine().polls.something_happened();
  } else if (instr.src0.space == isa::Space::kGm &&
             machine().polls.repeats(index(), instr.src0.addr)) {
    looks_in_vain();
  }
  if (instr.opcode_info().unit == isa::Unit::Sync) {
    if (sync_.signal(entry) && sets_for_scalar(instr)) scalar_.flag_set();
  } else {
    // With the unit flag, the cube may overwrite blocks that a Fixpipe has read and has not written
    // out yet. A Fixpipe that began before this Mmad therefore takes effect before the Mmad.
    Pipe* fixpipe = instr.op == isa::Opcode::kMmad ? pipes_.find(isa::Pipe::FIX) : nullptr;
    if (fixpipe != nullptr) {
      fixpipe->for_each_in_flight([&](QueueEntry& result) {
        if (result.start < entry.start) apply(result);
      });
    }
    apply(entry);
    if (entry.remote) entry.remote.reset();
    count_work(entry.lanes != 0 ? InstrWork{.lanes = entry.lanes} : work_of(instr));
  }
  observe::Observer* observer = reports().observer();
  if (observer == nullptr) return;
  const bool held = entry.blocked_by == CycleClass::kUnitFlag && entry.blocked_since != kNever;
  observer->instruction({index(), &instr, entry.dispatched, entry.start, entry.done, entry.flow,
                         stall.cycles, stall.counted, stall.cause,
                         held ? entry.start - entry.blocked_since : 0});
}

void TimedCore::apply(QueueEntry& entry) {
  if (entry.applied) return;
  if (entry.remote != nullptr) {
    // A write to another die takes effect there, when it has arrived.
    if (const isa::DecodedInstr* const here = entry.remote->instr()) {
      machine().effects.apply_now(*here, index());
      entry.remote->carried_out();
    }
  } else if (machine().computes_values) {
    machine().effects.give(entry.instr, index());
  }
  if (watcher() != nullptr) watcher()->ended(entry.instr);
  entry.applied = true;
}

bool TimedCore::try_wait(QueueEntry& entry, Cycle now, Cycle& retry) {
  return sync_.try_wait(entry, now, retry);
}

void TimedCore::fault_in(Pipe&, const QueueEntry& entry, const isa::Fault& fault) {
  fail(fault, &entry.instr);
}

// --- launches ------------------------------------------------------------------------------------

void TimedCore::begin_launch(Cycle start, std::uint64_t code_base) {
  counters_ = {};
  scalar_.begin_launch(start, code_base);
  pipes_.begin_launch(start, reports().by_line());
}

void TimedCore::begin_block(Cycle cycle) {
  const Cycle given = std::max(current_cycle(), scalar_.time());
  pipes_.begin_block(given, cycle);
  if (reports().observer() != nullptr) {
    reports().observer()->block_begins({index(), identity().block_idx, given, cycle});
  }
  scalar_.begin_block(given, cycle);
  block_start_ = cycle;
  if (counters_.start == 0 && counters_.end == 0) counters_.start = cycle;
}

void TimedCore::drain() {
  reach();
  scalar_.work_behind_last_call();
  reach();
  const Cycle issued = scalar_.time();
  scalar_.wait_for_pipes();
  if (watcher() != nullptr) watcher()->drained({});
  scalar_.end_block();
  counters_.end = scalar_.time();
  if (reports().observer() != nullptr) {
    reports().observer()->block(
        {index(), identity().block_idx, block_start_, issued, scalar_.time()});
  }
}

void TimedCore::end_launch(Cycle end, observe::CoreCounters& counters) {
  counters = counters_;
  describe(counters);
  pipes_.end_launch(end, counters);
  scalar_.end_launch(end, counters);
}

void TimedCore::cross_core_arrival(Cycle cycle) {
  pipes_.wake_at(cycle);
  scalar_.cross_core_flag_coming();
}

void TimedCore::abort() {
  pipes_.abort();
  scalar_.abort();
}

std::vector<WaitPoint> TimedCore::waits() const {
  std::vector<WaitPoint> points;
  scalar_.add_wait(points);
  pipes_.for_each([&](const Pipe& pipe) {
    if (pipe.stuck() == nullptr) return;
    const isa::DecodedInstr& instr = pipe.stuck()->instr;
    points.push_back(wait_point(pipe.id(), instr, describe_wait(instr)));
  });
  return points;
}

}  // namespace davsim::sim
