// Tags of the L2 cache: which 512-byte lines it holds, which 128-byte sectors of them are there,
// which are dirty, and which requests to a line are pending. 24 ways, true LRU, write-back and
// write-allocate (the vendor's own functional model), and a set index that mixes the upper address
// bits in. Bytes live in global memory; this decides hits only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace davsim::memory {

class L2Cache {
 public:
  /// A bit a sector of a line.
  using Sectors = std::uint8_t;
  static constexpr std::uint32_t kSectors = 4;
  static constexpr Sectors kWholeLine = 0xf;

  /// Pending requests to a line; whoever times the accesses keeps it.
  struct Pending {
    std::uint64_t ready = 0;         ///< ready time of what was fetched last, in cycles
    std::uint64_t queued_until = 0;  ///< cycle at which L2 gets to the last request to it
    std::uint64_t requesters = 0;    ///< a bit for each requester that L2 has not got to yet
  };

  /// Sizes in bytes; `bytes` must be a multiple of `line * ways`. Line n belongs to set
  /// (n + n / sets * rotation) mod sets: each stretch of as many lines as there are sets is rotated
  /// by `rotation` sets more than the one before.
  L2Cache(std::uint64_t bytes, std::uint32_t line, std::uint32_t ways, std::uint64_t rotation);

  struct Access {
    bool hit = false;            ///< the line was there, and so were the sectors that are needed
    Sectors fetched = 0;         ///< that have to come from below
    Sectors written_back = 0;    ///< of line `left`, which had to leave, or of what is written
    std::uint64_t left = 0;      ///< line number, where something is written back
    Pending* pending = nullptr;  ///< of the line, valid until the next access; null: not there
  };

  /// Reads `sectors` of line number `line` (device address / line size).
  Access read(std::uint64_t line, Sectors sectors = kWholeLine);
  /// Writes `sectors`, those in `partial` not all of their bytes: these have to be there.
  Access write(std::uint64_t line, Sectors sectors = kWholeLine, Sectors partial = 0);
  /// The same without allocating: what is there is used and kept up to date, but no line gets a
  /// place and none becomes younger. What is written goes below at once, as `written_back` says.
  Access read_no_allocate(std::uint64_t line, Sectors sectors = kWholeLine);
  Access write_no_allocate(std::uint64_t line, Sectors sectors = kWholeLine, Sectors partial = 0);
  bool holds(std::uint64_t line) const;
  void flush();  ///< forgets everything

  std::uint32_t line_bytes() const { return line_bytes_; }
  std::uint64_t sets() const { return sets_; }

 private:
  /// What is known of a line. Kept by line number, so that neighbours, which are used one after the
  /// other, lie side by side on the host too.
  struct alignas(32) Line {
    std::uint64_t last_use : 56 = 0;  ///< 0: not in the cache
    Sectors valid : 4 = 0, dirty : 4 = 0;
    Pending pending;
  };
  static constexpr std::uint64_t kPageLines = 4096;
  using Page = std::array<Line, kPageLines>;
  /// A place in a set. `used` is no later than the last use of its line: it is brought up to date
  /// when a place is looked for.
  struct Way {
    std::uint64_t line = 0;
    std::uint64_t used = 0;  ///< 0: empty
  };

  Line& at(std::uint64_t line);
  void add_page(std::uint64_t page);
  /// The line, which takes another's place if it is not there; `result` says whether it was and
  /// what left.
  Line& find(std::uint64_t line, Access& result);
  /// Gives a line a place in its set; `result` says what left.
  void replace_by(std::uint64_t line, Access& result);
  std::uint64_t set_of(std::uint64_t line) const;
  Way& victim(std::uint64_t set);

  std::uint32_t line_bytes_, ways_;
  std::uint64_t sets_, rotation_, clock_ = 0;
  std::vector<Way> tags_;                     ///< set-major
  std::vector<std::unique_ptr<Page>> pages_;  ///< grows with the addresses used
};

// What every line of every move goes through stands here, so that it becomes one piece with its
// caller.

inline L2Cache::Line& L2Cache::at(std::uint64_t line) {
  const std::uint64_t page = line / kPageLines;
  if (page >= pages_.size() || pages_[page] == nullptr) add_page(page);
  return (*pages_[page])[line % kPageLines];
}

inline L2Cache::Line& L2Cache::find(std::uint64_t line, Access& result) {
  Line& entry = at(line);
  ++clock_;
  result.hit = entry.last_use != 0;
  if (!result.hit) replace_by(line, result);
  entry.last_use = clock_;
  result.pending = &entry.pending;
  return entry;
}

inline L2Cache::Access L2Cache::read(std::uint64_t line, Sectors sectors) {
  Access result;
  Line& entry = find(line, result);
  result.fetched = static_cast<Sectors>(sectors & ~entry.valid);
  result.hit = result.fetched == 0;
  entry.valid |= sectors;
  return result;
}

inline L2Cache::Access L2Cache::write(std::uint64_t line, Sectors sectors, Sectors partial) {
  Access result;
  Line& entry = find(line, result);
  result.fetched = static_cast<Sectors>(partial & ~entry.valid);
  entry.valid |= sectors;
  entry.dirty |= sectors;
  return result;
}

}  // namespace davsim::memory
