// The scalar unit's instruction cache: what it issues has to be there first.
#include <algorithm>

#include "sim/core/timed_core.hpp"

namespace davsim::sim {

using memory::current_cycle;
using observe::CycleClass;

bool TimedCore::get_code(std::uint32_t site, isa::SourceLocation where) {
  const InstructionCache::Lines lines = code_.lines_of(site);
  for (std::uint32_t line = lines.first; line < lines.end; ++line) {
    const Cycle there = code_.there(line);
    if (there <= scalar_time_) continue;
    if (there == InstructionCache::kAbsent || there == InstructionCache::kAsked) {
      if (there == InstructionCache::kAbsent) fetch({line, line + 1}, scalar_time_, fetches_);
      awaits_code_ = true;
      --code_reads_;  // it is looked at again
      return false;
    }
    wait_for_code(there, where);
  }
  code_.note_held(site);
  return true;
}

void TimedCore::await_code(isa::SourceLocation where, isa::Opcode op) {
  while (!has_code(where, op)) pause(resume_);
}

void TimedCore::wait_for_code(Cycle there, isa::SourceLocation where) {
  ++counters_.code.misses;
  const isa::Instr shown{isa::Opcode::kFetch, isa::Pipe::S, {}, {}, {}, {}, where};
  const Cycle began = scalar_time_;
  scalar_time_ = there;
  scalar_account_.fill({CycleClass::kFetch, isa::Pipe::ALL, where, {}}, there);
  if (host().observer() == nullptr) return;
  host().observer()->instruction({index(), &shown, began, began, there, 0, there - began,
                                  there - began, CycleClass::kFetch, 0});
}

void TimedCore::fetch(InstructionCache::Lines lines, Cycle cycle, CodeFetch& by) {
  code_.ask(lines);
  const std::uint32_t line_bytes = code_.line_bytes(),
                      bytes = (lines.end - lines.first) * line_bytes;
  const std::uint64_t offset = std::uint64_t{lines.first} * line_bytes % kMostCode;
  memory::MemoryRequest request{code_base_ + offset, 1, bytes, bytes, false};
  request.requester = index() * kRequestersPerCore + static_cast<std::uint32_t>(isa::Pipe::S);
  request.tag = by.next_tag++;
  by.pending.push_back({request.tag, lines});
  memory_port_.post_at(std::max(cycle, current_cycle() + memory::in_arbitration()), request, by);
}

void TimedCore::CodeFetch::completed(std::uint32_t tag, Cycle cycle) {
  const auto fetch = std::find_if(pending.begin(), pending.end(),
                                  [tag](const Fetch& pending) { return pending.tag == tag; });
  if (fetch == pending.end()) return;  // the launch was aborted between the post and this
  core_.code_.arrive(fetch->lines, std::max(cycle, current_cycle() + 1));
  pending.erase(fetch);
  core_.code_arrives();
}

/// Goes on where the scalar unit stopped, at the time that is known now.
void TimedCore::code_arrives() {
  if (!awaits_code_) return;
  awaits_code_ = false;
  if (program_.empty()) {  // await_code()
    resume_.notify(memory::until(current_cycle() + 1));
    return;
  }
  issue();
  if (resume_at_ != kNoResume && program_.size() <= resume_at_) resume_.notify();
}

void TimedCore::preload(const isa::Instr& instr, Cycle began) {
  const auto* params = std::get_if<isa::PreloadParams>(&instr.params);
  if (params == nullptr || code_.off()) return;
  preloaded_ = code_.ahead(params->bytes);
  // The line that code ends in now has come with it.
  InstructionCache::Lines lines = preloaded_;
  while (lines.first < lines.end && code_.there(lines.first) != InstructionCache::kAbsent) {
    ++lines.first;
  }
  if (lines.first < lines.end) fetch(lines, began, preloads_);
}

bool TimedCore::preloads_code(isa::SourceLocation where) {
  if (!accepts_work()) return false;
  reach();
  await_code(where, isa::Opcode::kReadRegister);
  spend(timing_.scalar.op, where);
  catch_up();
  return code_.awaits(preloaded_, scalar_time_);
}

}  // namespace davsim::sim
