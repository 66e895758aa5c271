#include "memory/l2_cache.hpp"

#include <algorithm>
#include <stdexcept>

namespace davsim::memory {

L2Cache::L2Cache(std::uint64_t bytes, std::uint32_t line, std::uint32_t ways)
    : line_bytes_(line), ways_(ways), sets_(0) {
  if (line == 0 || ways == 0 || ways >= kAbsent || bytes == 0 ||
      bytes % (std::uint64_t{line} * ways) != 0) {
    throw std::invalid_argument("an L2 of " + std::to_string(bytes) +
                                " bytes does not divide into " + std::to_string(ways) +
                                " ways of " + std::to_string(line) + "-byte lines");
  }
  sets_ = bytes / (std::uint64_t{line} * ways);
  tags_.resize(sets_ * ways_);
}

L2Cache::Way& L2Cache::find(std::uint64_t line, Access& result) {
  if (line >= way_of_.size()) way_of_.resize(std::max(line + 1, way_of_.size() * 2), kAbsent);
  const std::uint64_t set = set_of(line);
  std::uint32_t way = way_of_[line];
  result.hit = way != kAbsent;
  if (!result.hit) {
    way = victim(set);
    Way& old = tags_[set * ways_ + way];
    if (old.last_use != 0) {
      result.written_back = old.dirty;
      way_of_[old.line] = kAbsent;
    }
    old = {line, 0, 0, 0};
    way_of_[line] = static_cast<std::uint8_t>(way);
  }
  Way& entry = tags_[set * ways_ + way];
  entry.last_use = ++clock_;
  return entry;
}

L2Cache::Access L2Cache::read(std::uint64_t line, Sectors sectors) {
  Access result;
  Way& entry = find(line, result);
  result.fetched = static_cast<Sectors>(sectors & ~entry.valid);
  result.hit = result.fetched == 0;
  entry.valid |= sectors;
  return result;
}

L2Cache::Access L2Cache::write(std::uint64_t line, Sectors sectors, Sectors partial) {
  Access result;
  Way& entry = find(line, result);
  result.fetched = static_cast<Sectors>(partial & ~entry.valid);
  entry.valid |= sectors;
  entry.dirty |= sectors;
  return result;
}

std::uint64_t L2Cache::set_of(std::uint64_t line) const {
  // Each stretch of as many lines as there are sets is rotated by another odd distance, so a
  // stretch fills every set once, and equal places of different stretches lie apart.
  constexpr std::uint64_t kRotation = 5407;
  return (line + line / sets_ * kRotation) % sets_;
}

bool L2Cache::holds(std::uint64_t line) const {
  return line < way_of_.size() && way_of_[line] != kAbsent;
}

void L2Cache::flush() {
  std::fill(tags_.begin(), tags_.end(), Way{});
  std::fill(way_of_.begin(), way_of_.end(), kAbsent);
}

std::uint32_t L2Cache::victim(std::uint64_t set) const {
  const Way* first = &tags_[set * ways_];
  const Way* oldest = std::min_element(
      first, first + ways_, [](const Way& a, const Way& b) { return a.last_use < b.last_use; });
  return static_cast<std::uint32_t>(oldest - first);
}

}  // namespace davsim::memory
