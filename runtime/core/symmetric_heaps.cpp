#include "runtime/core/symmetric_heaps.hpp"

#include <algorithm>
#include <utility>

namespace davsim::runtime {

SymmetricHeaps& SymmetricHeaps::instance() {
  static auto* heaps = new SymmetricHeaps();  // threads and static variables may still use it
  return *heaps;
}

void SymmetricHeaps::set(std::uint32_t die, SymmetricHeap heap) {
  const std::lock_guard lock(mutex_);
  heaps_[die] = std::move(heap);
}

void SymmetricHeaps::forget(std::uint32_t die) {
  const std::lock_guard lock(mutex_);
  heaps_.erase(die);
}

std::optional<SymmetricHeap> SymmetricHeaps::of(std::uint32_t die) const {
  const std::lock_guard lock(mutex_);
  const auto found = heaps_.find(die);
  if (found == heaps_.end()) return std::nullopt;
  return found->second;
}

bool SymmetricHeaps::are_of(const std::string& communicator) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(heaps_.begin(), heaps_.end(),
                     [&](const auto& heap) { return heap.second.communicator == communicator; });
}

}  // namespace davsim::runtime
