// From the kernel's call to a pipe's queue: the scalar unit issues what the kernel emits, in its
// order and at its own pace, and stands still where a queue is full.
#include <algorithm>

#include "sim/core/timed_core.hpp"

namespace davsim::sim {

using memory::current_cycle;
using observe::CycleClass;

namespace {

/// Instructions that look at what pipes have done when the scalar unit gets to them.
bool looks_at_pipes(const isa::Instr& instr) {
  if (instr.pipe == isa::Pipe::ALL || instr.op == isa::Opcode::kClearUnitFlags) return true;
  // Pipe S is in order by itself.
  return instr.pipe == isa::Pipe::S && instr.opcode_info().unit == isa::Unit::Sync &&
         instr.op != isa::Opcode::kPipeBarrier;
}

}  // namespace

void TimedCore::emit(const isa::Instr& instr) {
  if (!accepts_work()) return;
  check(instr);
  ++scalar_instructions_;
  if (looks_at_pipes(instr)) {
    reach();
    look_at_pipes(instr);
    return;
  }
  if (program_.size() == ProgramQueue::kMost) run_ahead_no_more_than(ProgramQueue::kFew);
  program_.push(instr);
  if (!awaits_room_ && !awaits_code_) issue();
  // Whoever watches hears of what the kernel does and of what is issued in one order.
  if (watcher() != nullptr) reach();
}

void TimedCore::reach() {
  run_ahead_no_more_than(0);
}

void TimedCore::run_ahead_no_more_than(std::uint32_t instructions) {
  while (program_.size() > instructions) {
    resume_at_ = instructions;
    pause(resume_);
    resume_at_ = kNoResume;
  }
}

/// Issues what the kernel has emitted, up to an instruction whose queue is full or whose code is
/// not there.
void TimedCore::issue() {
  for (; !program_.empty(); program_.pop()) {
    const isa::Instr& instr = program_.front();
    if (!awaits_room_ && !has_code(instr.where, instr.op)) return;
    const Cycle began = scalar_time_;
    if (!awaits_room_) spend(issue_cycles(instr), instr.where);
    if (instr.pipe == isa::Pipe::S) {
      if (instr.op == isa::Opcode::kPreload) preload(instr, began);
      if (instr.op != isa::Opcode::kPipeBarrier) report_scalar(instr, began, scalar_time_, 0);
      continue;
    }
    Pipe& target = *pipe(instr.pipe);
    if (target.full()) {
      awaits_room_ = true;
      return;
    }
    if (awaits_room_) account_wait_for_room(instr);
    awaits_room_ = false;
    if (watcher() != nullptr) watcher()->dispatched(instr);
    target.push(instr, scalar_time_);
  }
}

void TimedCore::account_wait_for_room(const isa::Instr& instr) {
  scalar_time_ = std::max(scalar_time_, current_cycle());
  scalar_account_.fill({CycleClass::kQueueFull, instr.pipe, instr.where, {}}, scalar_time_);
}

void TimedCore::space_in(Pipe& pipe) {
  if (!awaits_room_ || program_.front().pipe != pipe.id()) return;
  issue();
  if (resume_at_ != kNoResume && program_.size() <= resume_at_) resume_.notify();
}

Cycle TimedCore::issue_cycles(const isa::Instr& instr) const {
  const auto* p = std::get_if<isa::ScalarParams>(&instr.params);
  const std::uint32_t more = p != nullptr ? std::max(p->instructions, 1u) - 1u : 0;
  return timing_.scalar.issue + timing_.scalar.op * more;
}

}  // namespace davsim::sim
