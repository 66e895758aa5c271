#include "sim/core/instruction_cache.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace davsim::sim {

std::uint32_t CallSites::look_up(const Site& site) {
  return numbers_.try_emplace(site, static_cast<std::uint32_t>(numbers_.size())).first->second;
}

InstructionCache::InstructionCache(std::uint32_t bytes, std::uint32_t line,
                                   std::uint32_t site_bytes)
    : capacity_(line > 0 ? bytes / line : 0), line_(line), site_bytes_(site_bytes) {
  // The cache must be able to hold all lines of one call at the same time.
  if (capacity_ == 0 || bytes < site_bytes + 2 * line) {
    throw std::invalid_argument("an instruction cache of " + std::to_string(bytes) +
                                " bytes in lines of " + std::to_string(line) +
                                " bytes; it must hold the " + std::to_string(site_bytes) +
                                " bytes of a call, wherever they begin");
  }
}

void InstructionCache::begin_launch() {
  code_bytes_ = 0;
  run_ahead_end_ = preload_end_ = 0;
  places_.clear();
  lines_.clear();
  held_.clear();
  held_sites_.clear();
}

InstructionCache::Lines InstructionCache::lines_between(std::uint64_t begin, std::uint64_t end) {
  const Lines lines{static_cast<std::uint32_t>(begin / line_),
                    static_cast<std::uint32_t>((end + line_ - 1) / line_)};
  if (lines_.size() < lines.end) lines_.resize(lines.end, kAbsent);
  return lines;
}

/// Continues behind the lines to which the fetcher has run ahead. They take no room in the cache:
/// what lies there is not of this way through the kernel.
void InstructionCache::jump() {
  const auto next = static_cast<std::uint32_t>((code_bytes_ + line_ - 1) / line_);
  if (next < preload_end_) return;
  for (std::uint32_t line = next; line < run_ahead_end_; ++line) lines_[line] = kAbsent;
  if (next < run_ahead_end_) {
    std::erase_if(held_, [&](std::uint32_t line) { return line >= next; });
  }
  code_bytes_ = std::uint64_t{std::max(next, run_ahead_end_)} * line_;
}

void InstructionCache::place(CodeSite site) {
  if (site.jumps) jump();
  if (site.number >= places_.size()) places_.resize(site.number + 1);
  const std::uint64_t begin = code_bytes_;
  // All lines of one site have to fit at the same time.
  const std::uint64_t most = std::uint64_t{capacity_ / 2} * line_;
  code_bytes_ += site.bytes != 0 ? std::min<std::uint64_t>(site.bytes, most) : site_bytes_;
  places_[site.number] = lines_between(begin, code_bytes_);
}

InstructionCache::Lines InstructionCache::behind(std::uint32_t line, std::uint32_t count) {
  const std::uint64_t begin = (std::uint64_t{line} + 1) * line_;
  run_ahead_end_ = std::max(run_ahead_end_, line + 1 + count);
  return lines_between(begin, begin + std::uint64_t{count} * line_);
}

InstructionCache::Lines InstructionCache::ahead(std::uint32_t bytes) {
  const Lines lines = lines_between(code_bytes_, code_bytes_ + bytes);
  preload_end_ = std::max(preload_end_, lines.end);
  return lines;
}

void InstructionCache::ask(Lines lines) {
  for (std::uint32_t line = lines.first; line < lines.end; ++line) {
    if (lines_[line] != kAbsent) continue;
    if (held_.size() >= capacity_) drop_oldest();
    lines_[line] = kAsked;
    held_.push_back(line);
  }
}

void InstructionCache::drop_oldest() {
  lines_[held_.front()] = kAbsent;
  held_.pop_front();
  held_sites_.clear();
}

void InstructionCache::arrive(Lines lines, Cycle cycle) {
  for (std::uint32_t line = lines.first; line < lines.end; ++line) {
    if (lines_[line] == kAsked) lines_[line] = cycle;
  }
}

void InstructionCache::note_held(std::uint32_t site) {
  const std::size_t word = site / kWordBits;
  if (word >= held_sites_.size()) held_sites_.resize(word + 1);
  held_sites_[word] |= std::uint64_t{1} << (site % kWordBits);
}

bool InstructionCache::awaits(Lines lines, Cycle now) const {
  return std::any_of(lines_.begin() + lines.first, lines_.begin() + lines.end,
                     [&](Cycle there) { return there != kAbsent && there > now; });
}

}  // namespace davsim::sim
