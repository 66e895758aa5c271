#include "sim/core/code_fetch.hpp"

#include <algorithm>

#include "memory/cycle.hpp"

namespace davsim::sim {

using memory::current_cycle;
using memory::kNever;

CodeFetch::CodeFetch(const ScalarTiming& timing, isa::CoreType type, memory::MemoryPortIf& port,
                     memory::RequesterId requester, CallSites& call_sites, CodeClient& client)
    : cache_(type == isa::CoreType::AIC ? timing.aic_icache_bytes : timing.aiv_icache_bytes,
             timing.icache_line, timing.call_bytes),
      call_sites_(call_sites),
      port_(port),
      requester_(requester),
      lines_ahead_(timing.work > 0 ? timing.icache_ahead : 0),
      earlier_hit_(timing.earlier_hit),
      client_(client) {}

void CodeFetch::begin_launch(std::uint64_t base) {
  cache_.begin_launch();
  base_ = base;
  demanded_.pending.clear();
  ahead_.pending.clear();
  preloaded_ = {};
}

Cycle CodeFetch::ready(CodeSite site, Cycle now) {
  const InstructionCache::Lines lines = cache_.lines_of(site);
  for (std::uint32_t line = lines.first; line < lines.end; ++line) {
    const Cycle there = cache_.there(line);
    if (there <= now) continue;
    if (there == InstructionCache::kAbsent) fetch_with_next(line, site.bytes != 0, now);
    return there == InstructionCache::kAbsent || there == InstructionCache::kAsked ? kNever : there;
  }
  cache_.note_held(site.number);
  return now;
}

void CodeFetch::fetch_with_next(std::uint32_t line, bool runs_ahead, Cycle cycle) {
  // Code that is not counted has `call_bytes` for each call, which was fitted with the longer way.
  const std::uint32_t earlier_hit = runs_ahead ? earlier_hit_ : 0;
  fetch({line, line + 1}, cycle, demanded_, earlier_hit);
  if (!runs_ahead || lines_ahead_ == 0) return;
  InstructionCache::Lines next = cache_.behind(line, lines_ahead_);
  for (; next.first < next.end; ++next.first) {
    if (cache_.there(next.first) != InstructionCache::kAbsent) continue;
    fetch({next.first, next.first + 1}, cycle, ahead_, earlier_hit);
  }
}

void CodeFetch::preload(std::uint32_t bytes, Cycle now) {
  if (off()) return;
  preloaded_ = cache_.ahead(bytes);
  // The last line of the code so far is requested with it, and is not requested again.
  InstructionCache::Lines lines = preloaded_;
  while (lines.first < lines.end && cache_.there(lines.first) != InstructionCache::kAbsent) {
    ++lines.first;
  }
  if (lines.first < lines.end) fetch(lines, now, ahead_);
}

void CodeFetch::fetch(InstructionCache::Lines lines, Cycle cycle, Fetches& by,
                      std::uint32_t earlier_hit) {
  cache_.ask(lines);
  const std::uint32_t line_bytes = cache_.line_bytes(),
                      bytes = (lines.end - lines.first) * line_bytes;
  const std::uint64_t offset = std::uint64_t{lines.first} * line_bytes % kMostCode;
  memory::MemoryRequest request{base_ + offset, 1, bytes, bytes, false};
  request.requester = requester_;
  request.tag = by.next_tag++;
  request.earlier_hit = earlier_hit;
  request.by_scalar_unit = true;
  by.pending.push_back({request.tag, lines});
  port_.post_at(std::max(cycle, current_cycle() + memory::in_arbitration()), request, by);
}

void CodeFetch::Fetches::completed(std::uint32_t tag, Cycle cycle) {
  const auto fetch = std::find_if(pending.begin(), pending.end(),
                                  [tag](const Fetch& candidate) { return candidate.tag == tag; });
  if (fetch == pending.end()) return;  // the launch was aborted after the post
  code_.cache_.arrive(fetch->lines, std::max(cycle, current_cycle() + 1));
  pending.erase(fetch);
  code_.client_.code_arrives();
}

}  // namespace davsim::sim
