#include "sim/pipe.hpp"

#include <algorithm>
#include <cassert>

#include "isa/instr/fault.hpp"

namespace davsim::sim {

using memory::current_cycle;
using traces::StallCause;

namespace {

bool is_set(const QueueEntry& entry) {
  return entry.instr.op == isa::Opcode::kSetFlag ||
         entry.instr.op == isa::Opcode::kCrossCoreSetFlag;
}

}  // namespace

Pipe::Pipe(sc_core::sc_module_name name, isa::Pipe id, std::uint32_t depth, PipeHost& host,
           std::unique_ptr<UnitModel> model)
    : sc_module(name), id_(id), depth_(depth), host_(host), model_(std::move(model)) {
  SC_HAS_PROCESS(Pipe);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

void Pipe::push(const isa::Instr& instr, Cycle dispatched) {
  assert(!full());
  QueueEntry& entry = slot(tail_);
  entry.instr = instr;
  entry.dispatched = dispatched;
  entry.done = kNever;
  entry.blocked_since = kNever;
  entry.flow = 0;
  entry.applied = false;
  ++tail_;
  // Behind others it is looked at when they have started; alone it wakes the pipe.
  if (issue_ + 1 == tail_) wake_at(std::max(dispatched, next_issue_ == kNever ? 0 : next_issue_));
}

void Pipe::wake_at(Cycle cycle) {
  const Cycle now = current_cycle();
  if (cycle == kNever) return;
  cycle = std::max(cycle, now);
  if (cycle >= pending_wake_) return;
  pending_wake_ = cycle;
  // In the second half of a cycle its first half is over.
  cycle = std::max(cycle, now + memory::in_arbitration());
  if (cycle > now) {
    wake_.notify(memory::until(cycle));
  } else {
    wake_.notify(sc_core::SC_ZERO_TIME);
  }
}

void Pipe::step() {
  pending_wake_ = kNever;
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
    // A start may have begun work that has its own next step.
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
    if (is_set(entry)) entry.done = now;  // that is, when all before it have ended
    account(entry);
    host_.retired(*this, entry);
    ++head_;
    any = true;
  }
  return any;
}

bool Pipe::issue(Cycle now, Cycle& next) {
  if (issue_ == tail_) return false;
  QueueEntry& entry = slot(issue_);
  if (next_issue_ == kNever) return false;  // the model says when, from advance()
  const Cycle ready = std::max(entry.dispatched, next_issue_);
  if (ready > now) {
    next = ready;
    return false;
  }
  if (entry.instr.opcode_info().unit == isa::Unit::Sync) {
    if (!issue_sync(entry, now, next)) return false;
  } else {
    if (model_->blocked(entry, now, next)) {
      begin_block(entry, now, StallCause::kUnitFlag);
      return false;
    }
    entry.start = now;
    next_issue_ = model_->start(entry, now);
  }
  ++issue_;
  host_.space_in(*this);
  return true;
}

bool Pipe::issue_sync(QueueEntry& entry, Cycle now, Cycle& next) {
  if (is_set(entry)) {
    // It takes effect when it retires, and holds nothing back that comes behind it.
    entry.start = entry.done = now;
    return true;
  }
  if (entry.instr.op == isa::Opcode::kPipeBarrier) {
    if (head_ != issue_) {
      begin_block(entry, now, StallCause::kBarrier);
      return false;
    }
  } else if (!host_.try_wait(entry, now, next)) {
    const bool cross = entry.instr.op == isa::Opcode::kCrossCoreWaitFlag;
    begin_block(entry, now, cross ? StallCause::kWaitCrossCore : StallCause::kWaitFlag);
    return false;
  }
  entry.start = std::min(entry.blocked_since, now);
  entry.done = now;
  return true;
}

void Pipe::begin_block(QueueEntry& entry, Cycle now, StallCause cause) {
  if (entry.blocked_since == kNever) entry.blocked_since = now;
  entry.blocked_by = cause;
}

void Pipe::account(const QueueEntry& entry) {
  if (entry.blocked_since != kNever) {
    account_gap(entry.blocked_since, StallCause::kQueueEmpty);
    account_gap(entry.instr.opcode_info().unit == isa::Unit::Sync ? entry.done : entry.start,
                entry.blocked_by);
  }
  if (entry.instr.opcode_info().unit == isa::Unit::Sync) return;
  account_gap(entry.start, StallCause::kQueueEmpty);
  ++counters_.instructions;
  if (entry.done > accounted_) {
    counters_.busy += entry.done - accounted_;
    accounted_ = entry.done;
  }
}

void Pipe::account_gap(Cycle until, StallCause cause) {
  if (until <= accounted_) return;
  counters_.stalls[static_cast<std::size_t>(cause)] += until - accounted_;
  accounted_ = until;
}

void Pipe::begin_launch(Cycle now) {
  counters_ = {};
  accounted_ = now;
  next_issue_ = now;
}

void Pipe::end_launch(Cycle now) {
  account_gap(now, StallCause::kQueueEmpty);
}

void Pipe::abort() {
  head_ = issue_ = tail_;
  next_issue_ = 0;
  pending_wake_ = kNever;
  wake_.cancel();
  model_->reset();
}

}  // namespace davsim::sim
