#include "isa/exec/access.hpp"

namespace davsim::isa {
namespace {

/// Of `count` runs of `bytes` bytes at a pitch, those that meet [from, end): first, and behind the
/// last.
struct Meeting {
  Meeting(std::int64_t base, std::int64_t pitch, std::int64_t count, std::int64_t bytes,
          std::int64_t from, std::int64_t end)
      : base(base), pitch(pitch) {
    if (pitch < 0) {
      this->base += (count - 1) * pitch;
      this->pitch = -pitch;
    }
    if (this->pitch == 0) {
      first = from < base + bytes ? 0 : 1;
      last = base < end ? 1 : 0;
      return;
    }
    const std::int64_t before = from - this->base - bytes, behind = end - this->base - 1;
    first = before < 0 ? 0 : before / this->pitch + 1;
    last = behind < 0 ? 0 : std::min(count, behind / this->pitch + 1);
  }

  /// Where run `index` begins, counted from the lowest one.
  std::int64_t at(std::int64_t index) const { return base + index * pitch; }

  std::int64_t base, pitch;
  std::int64_t first = 0, last = 0;
};

/// Whether bytes of a run of whole DataBlocks at `run` that `mask` has are in [from, end).
bool touches_masked(std::int64_t run, std::int64_t bytes, std::uint32_t mask, std::int64_t from,
                    std::int64_t end) {
  constexpr std::int64_t kBlock = 32;
  const std::int64_t first = std::max(run, run + (from - run) / kBlock * kBlock);
  for (std::int64_t block = first; block < std::min(run + bytes, end); block += kBlock) {
    std::uint32_t asked = ~std::uint32_t{0};
    if (from > block) asked &= ~std::uint32_t{0} << std::min<std::int64_t>(from - block, 31);
    if (end < block + kBlock) asked &= ~std::uint32_t{0} >> (block + kBlock - end);
    if (from < block + kBlock && (mask & asked) != 0) return true;
  }
  return false;
}

}  // namespace

bool Access::touches(std::uint64_t from, std::uint64_t end) const {
  const auto start = static_cast<std::int64_t>(from), stop = static_cast<std::int64_t>(end);
  const auto run_bytes = static_cast<std::int64_t>(bytes);
  const auto each = static_cast<std::int64_t>(distinct_rows());
  const auto all = static_cast<std::int64_t>(distinct_groups());
  const auto base = static_cast<std::int64_t>(addr);
  // A group from its lowest to its highest byte.
  const std::int64_t reach = (each - 1) * pitch;
  const std::int64_t span = (reach < 0 ? -reach : reach) + run_bytes;
  const Meeting meeting(base + std::min<std::int64_t>(reach, 0), group_pitch, all, span, start,
                        stop);
  for (std::int64_t group = meeting.first; group < meeting.last; ++group) {
    const std::int64_t pitch_up = pitch < 0 ? -pitch : pitch;
    const Meeting runs(meeting.at(group), pitch_up, each, run_bytes, start, stop);
    if (!has_holes() && runs.first < runs.last) return true;
    for (std::int64_t row = runs.first; row < runs.last; ++row) {
      if (touches_masked(runs.at(row), run_bytes, block_mask, start, stop)) return true;
    }
  }
  return false;
}

bool meet(const Access& a, const Access& b) {
  if (a.space != b.space || a.empty() || b.empty()) return false;
  // A negative pitch may lead below address 0.
  const auto before = [](const Access& access, const Access& other) {
    return static_cast<std::int64_t>(access.high()) <= static_cast<std::int64_t>(other.low());
  };
  if (before(a, b) || before(b, a)) return false;
  // The one with fewer runs is taken run by run.
  const auto runs = [](const Access& access) {
    return access.distinct_rows() * access.distinct_groups();
  };
  const Access& few = runs(a) <= runs(b) ? a : b;
  const Access& many = runs(a) <= runs(b) ? b : a;
  bool found = false;
  few.for_each_touched([&](std::uint64_t addr, std::uint64_t bytes) {
    found = found || many.touches(addr, addr + bytes);
  });
  return found;
}

Hazard hazard(const AccessList& earlier, const AccessList& later) {
  Hazard found = Hazard::kNone;
  for (const Access& before : earlier) {
    for (const Access& after : later) {
      if (!before.writes() && !after.writes()) continue;
      const Hazard kind = !after.writes()   ? Hazard::kReadAfterWrite
                          : before.writes() ? Hazard::kWriteAfterWrite
                                            : Hazard::kWriteAfterRead;
      if ((found == Hazard::kNone || kind < found) && meet(before, after)) found = kind;
    }
  }
  return found;
}

}  // namespace davsim::isa
