// Reads of few bytes of global memory by which a core may wait for another one, in a loop of the
// kernel's own: what the checker tells Polls of them.
#include <algorithm>
#include <cstring>

#include "checker/core_checker.hpp"

namespace davsim::checker {

using isa::Access;
using isa::Pipe;
using isa::Space;

namespace {

/// The last write of the bytes of an access.
struct LastWrite {
  Mark write;
  void change(const Cell& cell, const Shadow::Run&) {
    if (cell.write.stamp > write.stamp) write = cell.write;
  }
  void unset(std::uint64_t, std::uint64_t, std::uint16_t) {}
};

/// The last writes of the bytes of an access, those of other cores.
struct WritesOfOthers {
  struct Write {
    Mark mark;
    std::uint64_t from, end;
  };
  std::uint32_t core;
  std::vector<Write> writes;
  void change(const Cell& cell, const Shadow::Run& run) {
    if (cell.write.stamp == 0 || core_of(cell.write.agent) == core) return;
    writes.push_back({cell.write, run.from(), run.end()});
  }
  void unset(std::uint64_t, std::uint64_t, std::uint16_t) {}
};

}  // namespace

/// What the current instruction reads of global memory.
std::uint64_t CoreChecker::read_bytes(const Current& current) const {
  if (place_of(current.mark.agent) == kScalarLoads) return loaded_bytes_;
  std::uint64_t bytes = 0;
  for (const Access& access : accesses_) {
    if (access.space != Space::kGm || access.writes()) continue;
    bytes = std::max(bytes, access.high() - access.low());
  }
  return bytes;
}

/// A line that loads words again after the scalar unit has looked at them polls them.
void CoreChecker::note_look(const Current& current) {
  if (current.pipe != Pipe::MTE2) return;
  Look look;
  look.mark = current.mark;
  for (const Access& access : accesses_) {
    if (access.space == Space::kGm && !access.writes()) look.gm = access.low();
    if (access.space != Space::kUb || !access.writes()) continue;
    look.begin = access.low();
    look.end = access.high();
  }
  if (look.gm == 0 || look.end == look.begin || look.end - look.begin > Polls::kPiece) return;
  const auto before = std::find_if(looks_.begin(), looks_.end(), [&](const Look& old) {
    return old.looked_at && old.gm == look.gm && old.mark.site == look.mark.site;
  });
  if (before != looks_.end()) {
    run_.polls.looked_in_vain(before->mark, look.mark, read_bytes(current));
    looks_.erase(before);
  } else if (looks_.size() == kFewLooks) {
    looks_.erase(looks_.begin());
  }
  looks_.push_back(look);
}

/// What a core reads may be a flag for which it waits.
void CoreChecker::poll(const Current& current, const Bytes& bytes, const Mark& write) {
  if (core_of(write.agent) == core_) return;
  if (still_in_cache(bytes, write)) return look_too_early(current, bytes, write);
  if (!left_by_end(bytes, write)) run_.early_looks.erase(write.stamp);
  const Clock* const known = run_.polls.found(current.mark, read_bytes(current), write);
  if (known != nullptr) order_.learn(current.pipe, *known);
  if (!looks_.empty() && looks_.back().mark == current.mark) looks_.back().of_another = true;
}

/// A flag that is stored and not yet written back is still as it was before. If it is never written
/// back, that is a mistake.
void CoreChecker::look_too_early(const Current& current, const Bytes& bytes, const Mark& write) {
  run_.polls.looked_too_early(current.mark, read_bytes(current), write);
  if (run_.early_looks.contains(write.stamp)) return;
  Finding finding = finding_at(current, bytes, false, kStillInCache);
  finding.first = place_of_mark(write, true);
  run_.early_looks.insert(
      {write.stamp, {behind(write, current, Class::kStale), finding, current.mark.site}});
}

/// A load from UB of words of global memory. They may be those of a write that was dispatched after
/// the read of them, and took effect before it.
void CoreChecker::look_at(const isa::Operand& from, std::uint64_t bytes) {
  for (Look& look : looks_) {
    if (from.addr < look.begin || from.addr + bytes > look.end) continue;
    look.looked_at = true;
    const std::uint64_t moved = look.end - look.begin;
    if (look.of_another) run_.polls.looked_at(look.mark.site, moved);
    const std::uint64_t gm = look.gm + from.addr - look.begin;
    GlobalShadow::Region* const region = run_.global.find(gm);
    if (region == nullptr || bytes > region->bytes - (gm - region->start)) continue;
    LastWrite last;
    region->shadow.update({++run_.accesses, Access::kWholeBlocks}, gm - region->start, bytes, last);
    if (last.write.stamp <= look.mark.stamp || core_of(last.write.agent) == core_) continue;
    const std::byte* const seen = memory_.at(Space::kUb, from.addr, bytes);
    if (std::memcmp(seen, reinterpret_cast<const void*>(gm), bytes) != 0) continue;
    run_.polls.looked_at(look.mark.site, moved);
    const Clock* const known = run_.polls.found(look.mark, moved, last.write);
    if (known != nullptr) order_.learn(Pipe::S, *known);
  }
}

/// A line that is dropped from the data cache is read next, maybe through a pointer of C++ that
/// nobody sees. A place of the kernel that drops it again, with no write in between, polls, and so
/// does the line that has loaded from it in between.
void CoreChecker::look_behind(std::uint64_t line, isa::SourceLocation where) {
  constexpr std::uint64_t kLine = ScalarCache::kLine;
  const Current current = scalar_current(isa::Opcode::kDcci, kScalarLoads, where);
  if (dropped_.gm == line && dropped_.mark.site == current.mark.site) {
    run_.polls.looked_in_vain(dropped_.mark, current.mark, kLine);
    if (loaded_.gm == line && loaded_.mark.stamp > dropped_.mark.stamp) {
      Mark look = current.mark;  // the line of the load is the one that polls
      look.site = loaded_.mark.site;
      run_.polls.looked_in_vain(dropped_.mark, look, loaded_.end - loaded_.begin);
    }
  }
  dropped_.gm = line;
  dropped_.mark = current.mark;
  if (!run_.polls.is_poll(current.mark.site)) return;
  GlobalShadow::Region* const region = run_.global.find(line);
  if (region == nullptr) return;
  const std::uint64_t from = line - region->start;
  WritesOfOthers others{core_, {}};
  region->shadow.update({++run_.accesses, Access::kWholeBlocks}, from,
                        std::min(kLine, region->bytes - from), others);
  for (const auto& [write, begin, end] : others.writes) {
    const Bytes bytes{Space::kGm, region->start + begin, end - begin, nullptr};
    if (still_in_cache(bytes, write)) continue;
    if (!left_by_end(bytes, write)) run_.early_looks.erase(write.stamp);
    const Clock* const known = run_.polls.found(current.mark, kLine, write);
    if (known != nullptr) order_.learn(Pipe::S, *known);
  }
}

}  // namespace davsim::checker
