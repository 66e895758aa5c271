#include "checker/run_state.hpp"

#include <algorithm>
#include <iterator>

namespace davsim::checker {

void GlobalShadow::follow(const memory::GlobalMemory& memory) {
  // Those of other dies stay as they are.
  const auto own = std::stable_partition(
      regions_.begin(), regions_.end(),
      [&](const Region& region) { return region.start - memory.base() >= memory.capacity(); });
  std::vector<Region> old(std::make_move_iterator(own), std::make_move_iterator(regions_.end()));
  regions_.erase(own, regions_.end());
  last_ = 0;
  for (const memory::GlobalMemory::Allocation& live : memory.allocations()) {
    const auto same = std::find_if(
        old.begin(), old.end(), [&](const Region& region) { return region.serial == live.serial; });
    if (same != old.end()) {
      regions_.push_back(std::move(*same));
    } else {
      regions_.push_back(
          {live.start, live.bytes, live.serial, live.name, Shadow(live.bytes, !live.unwritten)});
    }
  }
  std::stable_sort(regions_.begin(), regions_.end(),
                   [](const Region& a, const Region& b) { return a.start < b.start; });
}

GlobalShadow::Region* GlobalShadow::find(std::uint64_t addr) {
  const auto holds = [&](const Region& region) {
    return addr >= region.start && addr - region.start < region.bytes;
  };
  if (last_ < regions_.size() && holds(regions_[last_])) return &regions_[last_];
  const auto after = std::upper_bound(
      regions_.begin(), regions_.end(), addr,
      [](std::uint64_t value, const Region& region) { return value < region.start; });
  if (after == regions_.begin() || !holds(*std::prev(after))) return nullptr;
  last_ = static_cast<std::size_t>(std::prev(after) - regions_.begin());
  return &regions_[last_];
}

}  // namespace davsim::checker
