#include "checker/stale_values.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "isa/exec/accesses.hpp"

namespace davsim::checker {

void ByteRanges::add(std::uint64_t begin, std::uint64_t end) {
  auto at = ends_.upper_bound(begin);
  if (at != ends_.begin() && std::prev(at)->second >= begin) --at;
  while (at != ends_.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = ends_.erase(at);
  }
  ends_.emplace_hint(at, begin, end);
}

void ByteRanges::remove(std::uint64_t begin, std::uint64_t end) {
  auto at = ends_.upper_bound(begin);
  if (at != ends_.begin() && std::prev(at)->second > begin) --at;
  while (at != ends_.end() && at->first < end) {
    const auto [first, last] = *at;
    at = ends_.erase(at);
    if (first < begin) ends_.emplace(first, begin);
    if (last > end) ends_.emplace(end, last);
  }
}

bool ByteRanges::meets(std::uint64_t begin, std::uint64_t end) const {
  auto at = ends_.upper_bound(begin);
  if (at != ends_.begin() && std::prev(at)->second > begin) return true;
  return at != ends_.end() && at->first < end;
}

class StaleValues::Core : public isa::CoreWatcher {
 public:
  Core(ByteRanges& global, const isa::CoreMemory& memory) : global_(global), memory_(memory) {}

  void forget() {
    ub_.clear();
    registers_.clear();
  }

  std::uint16_t buffer_made(const isa::LocalBuffer&) override { return 0; }
  std::uint16_t global_made(const isa::GlobalBuffer&) override { return 0; }
  void buffer_passed(std::uint16_t, isa::BufferOwner, isa::SourceLocation) override {}
  void buffers_forgotten(bool, isa::SourceLocation) override {}
  void words_follow(bool) override {}
  void word_at(std::uint64_t) override {}
  void misused(isa::Misuse, std::string_view, isa::SourceLocation) override {}
  void dispatched(const isa::Instr&) override {}
  void issued(const isa::DecodedInstr&) override {}
  void drained(isa::SourceLocation) override {}
  void cache_cleaned(std::uint64_t, std::uint64_t, isa::SourceLocation) override {}

  void ended(const isa::DecodedInstr& instr) override {
    accesses_.clear();
    isa::list_possible_accesses(instr, memory_.size(isa::Space::kUb), accesses_);
    for (const isa::Access& access : accesses_) {
      ByteRanges* const ranges = access.writes() ? ranges_of(access.space) : nullptr;
      if (ranges == nullptr) continue;
      access.for_each_touched(
          [ranges](std::uint64_t at, std::uint64_t bytes) { ranges->add(at, at + bytes); });
    }
  }
  void scalar_loaded(const isa::Operand& from, std::uint64_t bytes,
                     isa::SourceLocation where) override {
    const ByteRanges* const ranges = ranges_of(from.space);
    if (ranges == nullptr || !ranges->meets(from.addr, from.addr + bytes)) return;
    throw isa::Fault(isa::FaultClass::kLimit,
                     "the kernel reads a value that an instruction was to compute, and may decide "
                     "by it; a run without values (--times-only) computes none",
                     where);
  }
  void scalar_stored(const isa::Operand& to, std::uint64_t bytes, isa::SourceLocation) override {
    ByteRanges* const ranges = ranges_of(to.space);
    if (ranges != nullptr) ranges->remove(to.addr, to.addr + bytes);
  }

 private:
  ByteRanges* ranges_of(isa::Space space) {
    switch (space) {
      case isa::Space::kGm:
        return &global_;
      case isa::Space::kUb:
        return &ub_;
      case isa::Space::kSpr:
        return &registers_;
      default:
        return nullptr;
    }
  }

  ByteRanges& global_;
  const isa::CoreMemory& memory_;
  ByteRanges ub_, registers_;
  isa::AccessList accesses_;
};

StaleValues::StaleValues() = default;
StaleValues::~StaleValues() = default;

isa::CoreWatcher* StaleValues::watcher_of(std::uint32_t core, const isa::CoreMemory& memory) {
  auto& made = cores_[core];
  if (made == nullptr) made = std::make_unique<Core>(global_, memory);
  return made.get();
}

void StaleValues::blocks_begin(const std::vector<std::uint32_t>& cores) {
  for (const std::uint32_t core : cores) {
    if (cores_.contains(core)) cores_[core]->forget();
  }
}

}  // namespace davsim::checker
