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

L2Cache::Access L2Cache::access(std::uint64_t line, bool write) {
  if (line >= way_of_.size()) way_of_.resize(std::max(line + 1, way_of_.size() * 2), kAbsent);
  const std::uint64_t set = line % sets_;
  Access result;
  std::uint32_t way = way_of_[line];
  result.hit = way != kAbsent;
  if (!result.hit) {
    way = victim(set);
    Way& old = tags_[set * ways_ + way];
    if (old.last_use != 0) {
      result.writes_back = old.dirty;
      way_of_[old.line] = kAbsent;
    }
    old = {line, 0, false};
    way_of_[line] = static_cast<std::uint8_t>(way);
  }
  Way& entry = tags_[set * ways_ + way];
  entry.last_use = ++clock_;
  entry.dirty = entry.dirty || write;
  return result;
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
