// A data cache that never evicts a line. It records which bytes of global memory the scalar unit
// may hold copies of, and which of its stores may not be written back. A kernel must also be right
// with such a cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "checker/mark.hpp"

namespace davsim::checker {

class ScalarCache {
 public:
  static constexpr std::uint64_t kLine = 64;

  /// When the line of `addr` was fetched. A missing line is fetched now, at `stamp`.
  Stamp fetched(std::uint64_t addr, Stamp stamp) {
    return lines_.try_emplace(addr / kLine, Line{stamp, 0}).first->second.fetched;
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
    lines_[addr / kLine].dirty |= mask(addr, bytes);
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
  /// Writes back and drops the lines of [addr, addr + bytes); all if `bytes` is 0.
  void clean(std::uint64_t addr, std::uint64_t bytes) {
    if (bytes == 0) {
      lines_.clear();
      return;
    }
    std::erase_if(lines_, [&](const auto& line) {
      return line.first >= addr / kLine && line.first <= (addr + bytes - 1) / kLine;
    });
  }

 private:
  struct Line {
    Stamp fetched = 0;
    std::uint64_t dirty = 0;  ///< a bit a byte
  };
  static std::uint64_t mask(std::uint64_t addr, std::uint64_t bytes) {
    const std::uint64_t ones = bytes == kLine ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
    return ones << addr % kLine;
  }

  std::unordered_map<std::uint64_t, Line> lines_;
};

}  // namespace davsim::checker
