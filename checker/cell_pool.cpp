#include "checker/cell_pool.hpp"

namespace davsim::checker {

void CellPool::clear(bool written) {
  slots_.resize(1);
  slots_[kUntouched] = {};
  slots_[kUntouched].cell.written = written;
  slots_[kUntouched].users = 1;  // is never forgotten
  free_.clear();
  dying_.clear();
  access_ = 0;
  made_count_ = 0;
}

CellPool::Id CellPool::made(Cell&& cell) {
  for (std::size_t i = 0; i < made_count_; ++i) {
    if (slots_[made_[i]].cell == cell) return made_[i];
  }
  const Id id = add(std::move(cell));
  if (made_count_ < made_.size()) made_[made_count_++] = id;
  return id;
}

CellPool::Id CellPool::add(Cell&& cell) {
  if (free_.empty()) {
    slots_.push_back({std::move(cell), 0, 0, 0});
    return static_cast<Id>(slots_.size() - 1);
  }
  const Id id = free_.back();
  free_.pop_back();
  slots_[id].cell = std::move(cell);
  slots_[id].users = 0;
  return id;
}

void CellPool::release() {
  for (const Id id : dying_) {
    // The cell may have users again, or be in the list twice.
    if (slots_[id].users != 0) continue;
    slots_[id].users = kFree;
    slots_[id].cell.more_reads = nullptr;
    free_.push_back(id);
  }
  dying_.clear();
}

std::uint64_t CellPool::host_bytes() const {
  std::uint64_t bytes =
      slots_.capacity() * sizeof(Slot) + (free_.capacity() + dying_.capacity()) * sizeof(Id);
  for (const Slot& slot : slots_) bytes += slot.cell.host_bytes();
  return bytes;
}

}  // namespace davsim::checker
