// The scalar unit's data cache. It holds 64-byte lines of global memory and is not coherent with
// DMA engines or other cores. A line keeps its bytes until it is invalidated. A kernel that forgets
// DataCacheCleanAndInvalid therefore reads the same stale bytes as on the device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "isa/core/global_pointer.hpp"

namespace davsim::sim {

class DataCache {
 public:
  static constexpr std::uint32_t kMaxLine = isa::CachedLine::kMaxBytes;
  /// A cache of `bytes` bytes with lines of `line` bytes, at most kMaxLine, and `ways` lines in a
  /// set. Throws std::invalid_argument if the capacity is less than a set.
  DataCache(std::uint32_t bytes, std::uint32_t line, std::uint32_t ways);

  /// Writes `size` bytes back to global memory at `addr`.
  using WriteBack =
      std::function<void(std::uint64_t addr, const std::byte* bytes, std::uint32_t size)>;

  std::uint64_t line_of(std::uint64_t addr) const { return addr / line_ * line_; }
  std::uint32_t line_bytes() const { return line_; }
  bool holds(std::uint64_t addr) const;
  /// Fills the line at `line_addr` with `bytes`. If the line that it replaces is dirty, that line
  /// is written back.
  void fill(std::uint64_t line_addr, const std::byte* bytes, const WriteBack& write_back);
  /// read() and write() stay within one line, which the cache must hold.
  void read(std::uint64_t addr, void* to, std::uint32_t bytes);
  void write(std::uint64_t addr, const void* from, std::uint32_t bytes);
  /// Where a pointer of C++ reads or writes the bytes, as in read() and write(), until the cache is
  /// used otherwise. Further such accesses to the line need not ask if `again`.
  std::byte* access(std::uint64_t addr, std::uint64_t bytes, bool writes, bool again);
  /// Writes back the dirty bytes of the lines of [addr, addr + bytes) and invalidates these lines.
  /// All lines if `bytes` is 0.
  void clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes, const WriteBack& write_back);
  void drop_all();

 private:
  using Line = isa::CachedLine;
  Line* find(std::uint64_t line_addr);
  Line* set_of(std::uint64_t line_addr) { return &lines_[line_addr / line_ % sets_ * ways_]; }
  static void clean(Line& line, const WriteBack& write_back);

  std::uint32_t line_, ways_, sets_;
  std::uint64_t clock_ = 0;
  std::vector<Line> lines_;  ///< none until the first fill: most cores of a system load nothing
  std::vector<std::uint32_t> held_;  ///< the valid lines: kernels use few of them
};

}  // namespace davsim::sim
