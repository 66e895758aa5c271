#include "sim/unit/unit_flags.hpp"

#include <algorithm>

namespace davsim::sim {

UnitFlags::UnitFlags(std::uint64_t l0c_bytes) : blocks_(l0c_bytes / kBlock) {}

std::uint64_t UnitFlags::end_block(std::uint64_t addr, std::uint64_t bytes) const {
  return std::min<std::uint64_t>((addr + bytes + kBlock - 1) / kBlock, blocks_.size());
}

bool UnitFlags::available(std::uint64_t addr, std::uint64_t bytes, bool full, Cycle now,
                          Cycle& retry) const {
  const std::uint64_t first = first_block(addr);
  for (std::uint64_t b = first; b < end_block(addr, bytes); ++b) {
    if (blocks_[b].full != full) return false;
  }
  if (blocks_[first].at <= now) return true;
  retry = blocks_[first].at;
  return false;
}

Cycle UnitFlags::last_at(std::uint64_t addr, std::uint64_t bytes) const {
  Cycle last = 0;
  for (std::uint64_t b = first_block(addr); b < end_block(addr, bytes); ++b) {
    last = std::max(last, blocks_[b].at);
  }
  return last;
}

void UnitFlags::hand_over(std::uint64_t addr, std::uint64_t bytes, bool full, Cycle start,
                          Cycle end) {
  const std::uint64_t first = first_block(addr), count = end_block(addr, bytes) - first;
  for (std::uint64_t b = 0; b < count; ++b) {
    blocks_[first + b] = {full, start + (end - start) * (b + 1) / count};
  }
  if (count == 0) return;
  Pipe* other = full ? fixpipe_ : cube_;
  if (other != nullptr) other->wake_at(blocks_[first].at);
}

void UnitFlags::reset() {
  std::fill(blocks_.begin(), blocks_.end(), Block{});
}

}  // namespace davsim::sim
