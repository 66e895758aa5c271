// The way of an instruction from the kernel's call to the queue of a pipe. The scalar unit issues
// the instructions in the order of the kernel. It stalls where a queue is full or code is missing.
#include <algorithm>

#include "sim/core/scalar_unit.hpp"

namespace davsim::sim {

using memory::current_cycle;
using observe::CycleClass;

namespace {

/// Whether an instruction depends on the state of the pipes at the time at which it is issued.
bool looks_at_pipes(const isa::DecodedInstr& instr) {
  if (instr.pipe == isa::Pipe::ALL || instr.op == isa::Opcode::kClearUnitFlags) return true;
  // The scalar unit works in order. A barrier of pipe S therefore has nothing to wait for.
  return instr.pipe == isa::Pipe::S && instr.opcode_info().unit == isa::Unit::Sync &&
         instr.op != isa::Opcode::kPipeBarrier;
}

}  // namespace

void ScalarUnit::emit(const isa::DecodedInstr& instr) {
  ++instructions_;
  last_call_ = instr.where;
  if (looks_at_pipes(instr)) {
    reach();
    look_at_pipes(instr);
    return;
  }
  if (program_.size() == ProgramQueue::kMost) run_ahead_no_more_than(ProgramQueue::kFew);
  const ScalarCost cost = costs_.next(instr);
  // What can be issued at once is not copied to the queue before.
  const bool first = program_.empty() && !awaits_room_ && !awaits_code_;
  if (!first || !issue(instr, cost)) program_.push(instr, cost);
  // A watcher is told of API calls and of issued instructions in one order, that of the program.
  if (core_.watcher() != nullptr) reach();
}

/// Suspends the kernel's thread until at most `instructions` instructions are not issued.
void ScalarUnit::run_ahead_no_more_than(std::uint32_t instructions) {
  while (program_.size() > instructions) {
    resume_at_ = instructions;
    core_.pause(resume_);
    resume_at_ = kNoResume;
  }
}

/// Issues the emitted instructions, up to one that has to wait.
void ScalarUnit::issue() {
  while (!program_.empty() && issue(program_.front(), program_.front_cost())) program_.pop();
}

/// Issues an instruction. False if its queue is full or its code is not ready: it is the next one
/// of the queue then.
bool ScalarUnit::issue(const isa::DecodedInstr& instr, const ScalarCost& cost) {
  if (!awaits_room_ && !has_code(instr.where, instr.op, cost)) return false;
  const Cycle worked = time_;
  if (!awaits_room_) spend_before(cost, instr.where);
  if (cost.is_region || instr.pipe == isa::Pipe::S) show_work(cost, worked, instr.where);
  if (cost.is_region) return true;
  if (!awaits_room_) await_loads(instr.where);
  const Cycle began = time_;
  if (!awaits_room_) spend(issue_cycles(instr) + cost.call, instr.where);
  if (!awaits_room_ && instr.pipe != isa::Pipe::S) show_work(cost, worked, instr.where);
  if (instr.pipe == isa::Pipe::S) {
    if (const auto* preload = std::get_if<isa::PreloadParams>(&instr.params)) {
      code_.preload(preload->bytes, began);
    }
    if (instr.op != isa::Opcode::kPipeBarrier) report(instr, began, time_, 0);
    return true;
  }
  Pipe& target = *pipes_.find(instr.pipe);
  if (target.full()) {
    awaits_room_ = true;
    return false;
  }
  if (awaits_room_) account_wait_for_room(instr);
  awaits_room_ = false;
  if (core_.watcher() != nullptr) core_.watcher()->dispatched(instr);
  target.push(instr, time_);
  return true;
}

/// Continues to issue after a stop, and wakes the kernel's thread when few instructions are left.
void ScalarUnit::issue_more() {
  issue();
  if (resume_at_ != kNoResume && program_.size() <= resume_at_) resume_.notify();
}

void ScalarUnit::account_wait_for_room(const isa::DecodedInstr& instr) {
  time_ = std::max(time_, current_cycle());
  account_.fill({CycleClass::kQueueFull, instr.pipe, instr.where, {}}, time_);
}

void ScalarUnit::space_in(const Pipe& pipe) {
  if (awaits_room_ && program_.front().pipe == pipe.id()) issue_more();
}

Cycle ScalarUnit::issue_cycles(const isa::DecodedInstr& instr) const {
  const auto* p = std::get_if<isa::ScalarParams>(&instr.params);
  const std::uint32_t more = p != nullptr ? std::max(p->instructions, 1u) - 1u : 0;
  return timing_.issue + timing_.op * more;
}

// --- the kernel's own code --------------------------------------------------------------------

/// Without room the work stays for the next call, which may wait.
void ScalarUnit::work(isa::SourceLocation where) {
  if (program_.size() == ProgramQueue::kMost) return;
  const ScalarCost cost = costs_.next_region();
  if (cost.before == 0) return;
  program_.push({{isa::Opcode::kScalarOp, isa::Pipe::S, {}, {}, {}, {}, where}, {}}, cost);
  if (!awaits_room_ && !awaits_code_) issue();
}

void ScalarUnit::work_behind_last_call() {
  if (costs_.counted()) work(last_call_);
}

void ScalarUnit::spend_before(const ScalarCost& cost, isa::SourceLocation where) {
  if (cost.before == 0) return;
  if (cost.uses_loads) await_loads(where);
  spend(cost.before, where);
}

/// Reports what the kernel's own code and the call itself took since `began` as an instruction of
/// the scalar unit. A kernel whose work is not counted shows nothing.
void ScalarUnit::show_work(const ScalarCost& cost, Cycle began, isa::SourceLocation where) {
  if (cost.before + cost.call == 0 || time_ == began) return;
  if (core_.reports().observer() == nullptr) return;
  report({{isa::Opcode::kScalarOp, isa::Pipe::S, {}, {}, {}, {}, where}, {}}, began, time_, 0);
}

void ScalarUnit::await_loads(isa::SourceLocation where) {
  if (loaded_ > time_) spend(loaded_ - time_, where);
}

// --- code ----------------------------------------------------------------------------------------

bool ScalarUnit::get_code(CodeSite site, isa::SourceLocation where) {
  for (;;) {
    const Cycle ready = code_.ready(site, time_);
    if (ready <= time_) return true;
    if (ready == kNever) {
      awaits_code_ = true;
      --code_counters_.reads;  // the same call counts again when it is tried again
      return false;
    }
    wait_for_code(ready, where);
  }
}

void ScalarUnit::await_code(isa::SourceLocation where, isa::Opcode op, const ScalarCost& cost) {
  while (!has_code(where, op, cost)) core_.pause(resume_);
  const Cycle worked = time_;
  spend_before(cost, where);
  show_work(cost, worked, where);
}

void ScalarUnit::wait_for_code(Cycle ready, isa::SourceLocation where) {
  ++code_counters_.misses;
  const Cycle began = time_;
  time_ = ready;
  account_.fill({CycleClass::kFetch, isa::Pipe::ALL, where, {}}, ready);
  observe::Observer* observer = core_.reports().observer();
  if (observer == nullptr) return;
  const isa::DecodedInstr shown{{isa::Opcode::kFetch, isa::Pipe::S, {}, {}, {}, {}, where}, {}};
  const Cycle waited = ready - began;
  observer->instruction(
      {core_.index(), &shown, began, began, ready, 0, waited, waited, CycleClass::kFetch, 0});
}

/// Continues where the unit stopped, at the ready time, which is known now.
void ScalarUnit::code_arrives() {
  if (!awaits_code_) return;
  awaits_code_ = false;
  if (program_.empty()) {  // await_code()
    resume_.notify(memory::until(current_cycle() + 1));
    return;
  }
  issue_more();
}

bool ScalarUnit::preloads_code(isa::SourceLocation where) {
  reach();
  await_code(where, isa::Opcode::kReadRegister, costs_.next(isa::ScalarForm::kRegister));
  spend(timing_.op, where);
  catch_up();
  return code_.preloads(time_);
}

}  // namespace davsim::sim
