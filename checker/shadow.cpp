#include "checker/shadow.hpp"

#include <algorithm>
#include <cstddef>

namespace davsim::checker {

void Shadow::clear() {
  cells_.clear(written_);
  splits_.clear();
  free_splits_.clear();
  for (const auto& page : pages_) {
    if (page == nullptr) continue;
    page->fill(CellPool::kUntouched);
    cells_.keep(CellPool::kUntouched, static_cast<std::uint32_t>(page->size()));
  }
}

std::unique_ptr<Shadow::Page> Shadow::new_page() {
  auto page = std::make_unique<Page>();
  page->fill(CellPool::kUntouched);
  cells_.keep(CellPool::kUntouched, static_cast<std::uint32_t>(page->size()));
  return page;
}

/// Merges pieces that share a cell.
void Shadow::add(Pieces& pieces, Id id, std::uint32_t mask) {
  for (Piece& piece : pieces) {
    if (piece.id != id) continue;
    piece.mask |= mask;
    return;
  }
  pieces.push_back({id, mask});
}

/// Replaces the pieces of a block by after_, and returns the block's new number.
Shadow::Id Shadow::take_pieces(Id before) {
  for (const Piece& piece : after_) cells_.keep(piece.id, 1);
  for_each_piece(before, [&](Id id, std::uint32_t) { cells_.drop(id, 1); });
  const bool was_split = (before & kSplit) != 0;
  if (after_.size() == 1) {
    if (was_split) free_splits_.push_back(before);
    return after_.front().id;
  }
  const Id split = was_split ? before : new_split();
  splits_[split & ~kSplit].swap(after_);
  return split;
}

/// Gives the bytes of `mask`, which belong to one piece of a split block, the cell `next`.
void Shadow::replace_in_piece(Id& block, std::size_t piece, std::uint32_t mask, Id next) {
  Pieces& pieces = splits_[block & ~kSplit];
  const auto at = pieces.begin() + static_cast<std::ptrdiff_t>(piece);
  const auto same = std::find_if(pieces.begin(), pieces.end(),
                                 [&](const Piece& other) { return other.id == next; });
  const bool whole = at->mask == mask;
  if (whole) cells_.drop(at->id, 1);
  if (same == pieces.end()) {
    cells_.keep(next, 1);
    if (whole) {
      at->id = next;
      return;
    }
    at->mask &= ~mask;
    pieces.insert(at + 1, {next, mask});
    return;
  }
  same->mask |= mask;
  at->mask &= ~mask;
  if (whole) pieces.erase(at);
  if (pieces.size() > 1) return;
  // The piece counts as one user of its cell, as the whole block does.
  const Id split = block;
  block = pieces.front().id;
  free_splits_.push_back(split);
}

Shadow::Id Shadow::new_split() {
  if (free_splits_.empty()) {
    splits_.emplace_back();
    return static_cast<Id>(splits_.size() - 1) | kSplit;
  }
  const Id split = free_splits_.back();
  free_splits_.pop_back();
  return split;
}

std::uint64_t Shadow::end_of_run(Id id, std::uint64_t addr, std::uint64_t limit) const {
  while (addr < limit) {
    const auto& page = pages_[addr / kPageBytes];
    const Id block =
        page == nullptr ? CellPool::kUntouched : (*page)[addr % kPageBytes / kBlockBytes];
    std::uint32_t mask = 0;
    for_each_piece(block, [&](Id piece, std::uint32_t bytes) { mask |= piece == id ? bytes : 0; });
    const std::uint64_t from = addr % kBlockBytes;
    const auto ones = static_cast<std::uint64_t>(std::countr_one(mask >> from));
    addr += ones;
    if (from + ones < kBlockBytes) break;
  }
  return std::min(addr, limit);
}

std::uint64_t Shadow::host_bytes() const {
  std::uint64_t bytes = pages_.capacity() * sizeof(pages_[0]) + cells_.host_bytes();
  for (const auto& page : pages_) bytes += page == nullptr ? 0 : sizeof(Page);
  for (const Pieces& split : splits_) bytes += sizeof(Pieces) + split.capacity() * sizeof(Piece);
  return bytes;
}

std::uint64_t Shadow::touched_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& page : pages_) {
    if (page == nullptr) continue;
    for (const Id block : *page) {
      for_each_piece(block, [&](Id id, std::uint32_t mask) {
        if (cells_[id].touched()) bytes += static_cast<std::uint64_t>(std::popcount(mask));
      });
    }
  }
  return bytes;
}

}  // namespace davsim::checker
