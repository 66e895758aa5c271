#include "sim/unit/pipe.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <utility>

#include "isa/instr/fault.hpp"

namespace davsim::sim {

using memory::current_cycle;
using observe::CycleClass;

namespace {

/// Whether a register is written that the moves before it still read.
bool drains_pipe(const isa::DecodedInstr& instr) {
  const auto* move = std::get_if<isa::MoveParams>(&instr.params);
  return move != nullptr && move->sets_pad;
}

bool is_set(const QueueEntry& entry) {
  return entry.instr.op == isa::Opcode::kSetFlag ||
         entry.instr.op == isa::Opcode::kCrossCoreSetFlag;
}

/// Asks the host for an entry that starts some cycles from now, after other pipes' work: time
/// enough to fetch what its start reads, which is all but the results at its end.
void prefetch(const QueueEntry& entry) {
  constexpr std::ptrdiff_t kLine = 64;
  const auto* at = reinterpret_cast<const char*>(&entry);
  for (const auto* end = reinterpret_cast<const char*>(&entry.flow); at < end; at += kLine) {
    __builtin_prefetch(at);
  }
}

}  // namespace

Pipe::Pipe(sc_core::sc_module_name name, isa::Pipe id, std::uint32_t depth, PipeHost& host,
           memory::CycleClock& clock, std::unique_ptr<UnitModel> model)
    : sc_module(name),
      id_(id),
      depth_(depth),
      host_(host),
      clock_(clock),
      model_(std::move(model)) {
  std::iota(order_.begin(), order_.end(), std::uint8_t{0});
}

void Pipe::push(const isa::DecodedInstr& instr, Cycle dispatched) {
  assert(!full());
  if (slots_ == nullptr) slots_ = std::make_unique<QueueEntry[]>(kSlots);
  QueueEntry& entry = slot(tail_);
  entry.instr = instr;
  entry.dispatched = dispatched;
  entry.done = kNever;
  entry.blocked_since = kNever;
  entry.flow = 0;
  entry.set_at = {};
  entry.bank_conflicts = 0;
  entry.lanes = 0;
  entry.applied = false;
  ++tail_;
  // An entry at the head of the queue wakes the pipe. Other entries are reached when those before
  // them have started.
  if (issue_ + 1 == tail_) wake_at(std::max(dispatched, next_issue_ == kNever ? 0 : next_issue_));
}

void Pipe::wake_at(Cycle cycle) {
  const Cycle now = current_cycle();
  if (cycle == kNever) return;
  // Pipes act in the first half of a cycle. In the second half the next one is that of the next
  // cycle.
  cycle = std::max(cycle, now + memory::in_arbitration());
  if (cycle >= wakes_at_) return;
  wakes_at_ = cycle;
  clock_.step_at(*this, cycle);
}

void Pipe::step() {
  wakes_at_ = kNever;
  const Cycle now = current_cycle();
  const bool was_idle = idle();
  Cycle next = kNever;
  try {
    Cycle again = model_->advance(now, next_issue_);
    for (bool moved = true; moved;) {
      moved = retire(now);
      next = kNever;
      moved |= issue(now, next);
    }
    // The instruction that started may have a next step of its own.
    again = model_->advance(now, next_issue_);
    next = std::min({next, again, head_ != issue_ ? slot(head_).done : kNever});
  } catch (const isa::Fault& fault) {
    host_.fault_in(*this, slot(head_ != issue_ ? head_ : issue_), fault);
    return;
  }
  wake_at(next);
  if (idle() && !was_idle) host_.drained(*this);
}

bool Pipe::retire(Cycle now) {
  bool any = false;
  while (head_ != issue_ && slot(head_).done <= now) {
    QueueEntry& entry = slot(head_);
    if (is_set(entry)) entry.done = now;  // all instructions before the set have ended
    const Stall stall = account(entry);
    host_.retired(*this, entry, stall);
    const bool held_back =
        tail_ - head_ >= kSlots;  // too many in flight, whatever the queue's depth
    free_head();
    if (held_back) host_.space_in(*this);
    any = true;
  }
  return any;
}

void Pipe::free_head() {
  std::swap(order_[head_ % kSlots], order_[tail_ % kSlots]);
  ++head_;
}

bool Pipe::issue(Cycle now, Cycle& next) {
  if (issue_ == tail_) return false;
  QueueEntry& entry = slot(issue_);
  if (next_issue_ == kNever) return false;  // known later, from advance()
  const Cycle ready = std::max(entry.dispatched, next_issue_);
  if (ready > now) {
    next = ready;
    return false;
  }
  if (entry.instr.opcode_info().unit == isa::Unit::Sync) {
    if (!issue_sync(entry, now, next)) return false;
  } else {
    if (head_ != issue_ && drains_pipe(entry.instr)) {
      block(entry, now, CycleClass::kBarrier);
      return false;
    }
    if (model_->blocked(entry, now, next)) {
      block(entry, now, CycleClass::kUnitFlag);
      return false;
    }
    entry.start = now;
    next_issue_ = model_->start(entry, now);
  }
  host_.issued(entry);
  ++issue_;
  prefetch(slot(issue_));
  host_.space_in(*this);
  return true;
}

bool Pipe::issue_sync(QueueEntry& entry, Cycle now, Cycle& next) {
  if (is_set(entry)) {
    // A set takes effect when it retires. It does not stall the instructions behind it.
    entry.start = entry.done = now;
    return true;
  }
  if (entry.instr.op == isa::Opcode::kPipeBarrier) {
    if (head_ != issue_) {
      block(entry, now, CycleClass::kBarrier);
      return false;
    }
  } else if (!host_.try_wait(entry, now, next)) {
    const bool cross = entry.instr.op == isa::Opcode::kCrossCoreWaitFlag;
    block(entry, now, cross ? CycleClass::kWaitCrossCore : CycleClass::kWaitFlag);
    return false;
  }
  entry.start = std::min(entry.blocked_since, now);
  entry.done = now;
  return true;
}

void Pipe::block(QueueEntry& entry, Cycle now, CycleClass by) {
  if (entry.blocked_since == kNever) entry.blocked_since = now;
  entry.blocked_by = by;
}

Stall Pipe::account(const QueueEntry& entry) {
  const isa::DecodedInstr& instr = entry.instr;
  const bool sync = instr.opcode_info().unit == isa::Unit::Sync;
  if (entry.blocked_since != kNever) {
    const auto* flag = std::get_if<isa::FlagParams>(&instr.params);
    account_.fill({CycleClass::kQueueEmpty, isa::Pipe::ALL, instr.where, {}}, entry.blocked_since);
    const Cycle from = account_.until();
    account_.fill({entry.blocked_by, flag != nullptr ? flag->set_pipe : isa::Pipe::ALL, instr.where,
                   entry.set_at},
                  sync ? entry.done : entry.start);
    // A Fixpipe that awaits the cube's first block by unit flag counts as under way.
    if (!sync && id_ == isa::Pipe::FIX) in_flight_ += account_.until() - from;
  }
  if (sync) return {};
  account_.fill({CycleClass::kQueueEmpty, isa::Pipe::ALL, instr.where, {}}, entry.start);
  return account_work(entry);
}

Stall Pipe::account_work(const QueueEntry& entry) {
  ++instructions_;
  const Cycle from = account_.until(), to = std::max(from, entry.done);
  Stall stall = model_->stall(entry, entry.start);
  if (to > from) {
    stall.counted = from == entry.start ? stall.cycles : model_->stall(entry, from).cycles;
  }
  in_flight_ += to - from;
  account_.add({CycleClass::kBusy, isa::Pipe::ALL, entry.instr.where, {}},
               to - from - stall.counted);
  if (stall.counted > 0) {
    account_.add({stall.cause, isa::Pipe::ALL, entry.instr.where, {}}, stall.counted);
  }
  return stall;
}

void Pipe::begin_launch(Cycle now, bool by_line) {
  instructions_ = in_flight_ = 0;
  account_.begin(now, by_line);
  next_issue_ = now;
}

void Pipe::begin_block(Cycle given, Cycle start) {
  account_.fill(CycleClass::kDone, given);
  account_.fill(CycleClass::kLaunch, start);
}

observe::PipeCounters Pipe::counters(Cycle now) {
  account_.fill(CycleClass::kDone, now);
  return {instructions_, in_flight_, account_.cycles(), account_.lines()};
}

void Pipe::abort() {
  for (; head_ != tail_; ++head_) slot(head_).remote.reset();
  issue_ = tail_;
  next_issue_ = 0;
  wakes_at_ = kNever;
  model_->reset();
}

}  // namespace davsim::sim
