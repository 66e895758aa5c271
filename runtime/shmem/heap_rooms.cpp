#include "runtime/shmem/heap_rooms.hpp"

#include <algorithm>
#include <iterator>

namespace davsim::shmem {

std::optional<std::uint64_t> HeapRooms::take(std::uint64_t bytes, std::uint64_t alignment) {
  for (auto hole = free_.begin(); hole != free_.end(); ++hole) {
    const auto [start, room] = *hole;
    const std::uint64_t at = (start + alignment - 1) / alignment * alignment, skipped = at - start;
    if (skipped > room || room - skipped < bytes) continue;
    free_.erase(hole);
    if (skipped > 0) free_[start] = skipped;
    if (room - skipped > bytes) free_[at + bytes] = room - skipped - bytes;
    taken_[at] = bytes;
    return at;
  }
  return std::nullopt;
}

bool HeapRooms::give_back(std::uint64_t start) {
  const auto found = taken_.find(start);
  if (found == taken_.end()) return false;
  auto hole = free_.emplace(start, found->second).first;
  taken_.erase(found);
  const auto behind = std::next(hole);
  if (behind != free_.end() && hole->first + hole->second == behind->first) {
    hole->second += behind->second;
    free_.erase(behind);
  }
  if (hole == free_.begin()) return true;
  const auto before = std::prev(hole);
  if (before->first + before->second != hole->first) return true;
  before->second += hole->second;
  free_.erase(hole);
  return true;
}

}  // namespace davsim::shmem
