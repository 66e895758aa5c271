// A data cache that never evicts a line. It records which bytes of global memory the scalar unit
// may hold copies of, and which of its stores may not be written back. A kernel must also be right
// with such a cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "checker/mark.hpp"

namespace davsim::checker {

class ScalarCache {
 public:
  static constexpr std::uint64_t kLine = 64;

  /// When the line of `addr` was fetched. A missing line is fetched now, at `stamp`.
  Stamp fetched(std::uint64_t addr, Stamp stamp) {
    return lines_.try_emplace(addr / kLine, Line{stamp}).first->second.fetched;
  }
  /// When the line of `addr` was fetched, if it is in the cache.
  std::optional<Stamp> fetched_at(std::uint64_t addr) const {
    const auto line = lines_.find(addr / kLine);
    return line == lines_.end() ? std::nullopt : std::optional(line->second.fetched);
  }
  /// Fetches the line again, so that a stale copy is reported once.
  void fetch_again(std::uint64_t addr, Stamp stamp) { lines_[addr / kLine].fetched = stamp; }

  /// A store to [addr, addr + bytes), which lies in one line.
  void store(std::uint64_t addr, std::uint64_t bytes, Stamp stamp) {
    fetched(addr, stamp);
    Line& line = lines_[addr / kLine];
    if (line.dirty == 0) stored_[line.stored = stamp] = addr / kLine;
    line.dirty |= mask(addr, bytes);
  }
  /// The first store that was not written back, and is not in the line of `addr`; nothing if there
  /// is none.
  std::optional<Stamp> first_store_beside(std::uint64_t addr) const {
    const auto first = std::find_if(stored_.begin(), stored_.end(), [addr](const auto& store) {
      return store.second != addr / kLine;
    });
    return first == stored_.end() ? std::nullopt : std::optional(first->first);
  }
  /// Whether a byte of [addr, addr + bytes) was stored and not written back.
  bool holds_store(std::uint64_t addr, std::uint64_t bytes) const {
    for (std::uint64_t at = addr; at < addr + bytes;) {
      const std::uint64_t part = std::min(addr + bytes, (at / kLine + 1) * kLine) - at;
      const auto line = lines_.find(at / kLine);
      if (line != lines_.end() && (line->second.dirty & mask(at, part)) != 0) return true;
      at += part;
    }
    return false;
  }
  /// The block ends at `stamp`, which writes back all lines.
  void end_block(Stamp stamp) {
    for (const auto& [line, state] : lines_) {
      if (state.dirty != 0) left_[line] = {stamp, left_[line].dirty | state.dirty};
    }
    clean(0, 0);
  }
  /// When the end of a block wrote back a byte of [addr, addr + bytes), if it did.
  std::optional<Stamp> left_at(std::uint64_t addr, std::uint64_t bytes) const {
    const std::uint64_t line = addr / kLine;
    const auto found = left_.find(line);
    if (found == left_.end()) return std::nullopt;
    const std::uint64_t part = std::min(addr + bytes, (line + 1) * kLine) - addr;
    return (found->second.dirty & mask(addr, part)) == 0 ? std::nullopt
                                                         : std::optional(found->second.fetched);
  }
  void forget_left() { left_.clear(); }
  /// Writes back and drops the lines of [addr, addr + bytes); all if `bytes` is 0.
  void clean(std::uint64_t addr, std::uint64_t bytes) {
    if (bytes == 0) {
      lines_.clear();
      stored_.clear();
      return;
    }
    std::erase_if(lines_, [&](const auto& line) {
      const bool inside = line.first >= addr / kLine && line.first <= (addr + bytes - 1) / kLine;
      if (inside && line.second.dirty != 0) stored_.erase(line.second.stored);
      return inside;
    });
  }

 private:
  struct Line {
    Stamp fetched = 0;
    std::uint64_t dirty = 0;  ///< a bit a byte
    Stamp stored = 0;         ///< the first store, if it is dirty
  };
  static std::uint64_t mask(std::uint64_t addr, std::uint64_t bytes) {
    const std::uint64_t ones = bytes == kLine ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
    return ones << addr % kLine;
  }

  std::unordered_map<std::uint64_t, Line> lines_;
  std::map<Stamp, std::uint64_t> stored_;  ///< the dirty lines, by their first stores
  /// Lines that ends of blocks wrote back, and when.
  std::unordered_map<std::uint64_t, Line> left_;
};

}  // namespace davsim::checker
