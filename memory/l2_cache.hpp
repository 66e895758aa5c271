// Tags of the L2 cache: which 512-byte lines it holds, and which of them are dirty. 24 ways, true
// LRU, write-back and write-allocate, set = line number modulo sets (the vendor's own functional
// model; see docs/timing-model.md). Bytes live in global memory; this decides hits only.
#pragma once

#include <cstdint>
#include <vector>

namespace davsim::memory {

class L2Cache {
 public:
  /// Sizes in bytes; `bytes` must be a multiple of `line * ways`.
  L2Cache(std::uint64_t bytes, std::uint32_t line, std::uint32_t ways);

  struct Access {
    bool hit = false;
    bool writes_back = false;  ///< a dirty line had to leave
  };

  /// Touches line number `line` (device address / line size).
  Access access(std::uint64_t line, bool write);
  bool holds(std::uint64_t line) const;
  void flush();  ///< forgets everything

  std::uint32_t line_bytes() const { return line_bytes_; }
  std::uint64_t sets() const { return sets_; }

 private:
  static constexpr std::uint8_t kAbsent = 0xff;
  struct Way {
    std::uint64_t line = 0;
    std::uint64_t last_use = 0;  ///< 0: empty
    bool dirty = false;
  };

  std::uint32_t victim(std::uint64_t set) const;

  std::uint32_t line_bytes_, ways_;
  std::uint64_t sets_, clock_ = 0;
  std::vector<Way> tags_;  ///< set-major
  std::vector<std::uint8_t>
      way_of_;  ///< by line number: O(1) look-up, grows with the addresses used
};

}  // namespace davsim::memory
