// The tags of the L2 cache: the 512-byte lines that it holds, their valid and dirty 128-byte
// sectors, and the pending requests to each line. 24 ways, true LRU, write-back and write-allocate,
// as in the vendor's own functional model. The set index mixes in the upper address bits. The cache
// holds no bytes, because global memory has them. It only decides what is a hit.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/fresh_pages.hpp"

namespace davsim::memory {

class L2Cache {
 public:
  /// One bit for each sector of a line.
  using Sectors = std::uint8_t;
  static constexpr std::uint32_t kSectors = 4;
  static constexpr Sectors kWholeLine = 0xf;

  /// The pending requests to a line. The model that times the accesses updates them.
  struct Pending {
    std::uint64_t ready = 0;    ///< ready time of the last fetch, in cycles
    std::uint64_t free_at = 0;  ///< when the next request of a DMA engine can be served, in cycles
  };

  /// Accesses are numbered up to here. Then the numbers that lines have are made small again.
  static constexpr std::uint32_t kLastNumber = ~std::uint32_t{0};

  /// Sizes are in bytes. `bytes` must be a multiple of `line * ways`. Line n belongs to set
  /// (n + n / sets * rotation) mod sets. Each run of `sets` lines is therefore rotated by
  /// `rotation` sets against the run before. `last_number` must be more than twice the lines.
  L2Cache(std::uint64_t bytes, std::uint32_t line, std::uint32_t ways, std::uint64_t rotation,
          std::uint32_t last_number = kLastNumber);

  struct Access {
    bool hit = false;            ///< the cache held the line and the sectors that are needed
    Sectors fetched = 0;         ///< sectors to be read from HBM
    Sectors written_back = 0;    ///< sectors of line `left` to be written to HBM
    std::uint64_t left = 0;      ///< the evicted line, or the line that is written through
    Pending* pending = nullptr;  ///< valid until the next access; null: the line is not held
  };

  /// Reads `sectors` of line number `line` (device address / line size).
  Access read(std::uint64_t line, Sectors sectors = kWholeLine);
  /// Writes `sectors`. Those in `partial` are written in part, so the cache must hold their other
  /// bytes and fetches them if necessary.
  Access write(std::uint64_t line, Sectors sectors = kWholeLine, Sectors partial = 0);
  /// No-allocate accesses. They use and update lines that the cache holds. They allocate no line
  /// and leave the LRU order as it is. Written sectors go to HBM at once, in `written_back`.
  Access read_no_allocate(std::uint64_t line, Sectors sectors = kWholeLine);
  Access write_no_allocate(std::uint64_t line, Sectors sectors = kWholeLine, Sectors partial = 0);
  bool holds(std::uint64_t line) const;
  /// Asks the host for the state of a line that an access needs soon.
  void prefetch(std::uint64_t line) const;
  void flush();  ///< invalidates all lines

  /// Bytes of the host for the states of lines.
  std::size_t state_bytes() const { return made_ * kPageLines * sizeof(Line); }
  std::uint32_t line_bytes() const { return line_bytes_; }
  std::uint64_t sets() const { return sets_; }

 private:
  /// The state of a line. States are stored by line number. Neighbouring lines, which are used one
  /// after the other, are then neighbours in the memory of the host.
  struct alignas(32) Line {
    Pending pending;
    std::uint32_t last_use = 0;  ///< 0: the cache does not hold the line
    Sectors valid : 4 = 0, dirty : 4 = 0;
  };
  /// What L2 holds of a window lies in short stretches, because each peer has room for the most
  /// that it may send. 128 lines, 64 KiB, are few beside such a stretch.
  static constexpr std::uint64_t kPageLines = 128;
  /// States of neighbouring lines, in a page of the host. A page none of whose lines is held is
  /// used for other lines, so that the host's memory follows the cache's size and not the bytes
  /// that pass through it.
  struct Page {
    Line* lines;         ///< nullptr: none of them is held
    std::uint64_t held;  ///< how many are
  };
  /// Pages are made so many at a time.
  static constexpr std::size_t kPagesAtATime = 64;
  /// A way of a set. The ways of a set are a ring in the order of `used`, which may be earlier than
  /// the last use of the line. It is updated when the way's turn comes to be evicted.
  struct Way {
    std::uint32_t line;
    std::uint32_t used;  ///< 0: the way is empty
  };
  /// Zeros are an empty way. Most tags of the dies of a system are never used.
  using Tags = FreshPages<Way>;
  /// By number of the page. Kernels' code lies behind global memory, so the list is long, and
  /// nearly all of it is never used.
  using PageList = FreshPages<Page>;
  void empty_tags();
  Line& at(std::uint64_t line);
  /// The state of a line; nullptr: it has none, because the cache does not hold it.
  Line* state_of(std::uint64_t line) const {
    const std::uint64_t page = line / kPageLines;
    Line* const lines = page < pages_.size() ? pages_.get()[page].lines : nullptr;
    return lines == nullptr ? nullptr : lines + line % kPageLines;
  }
  Line* add_page(std::uint64_t page);
  void remove_line(std::uint64_t line);
  /// Finds the line, or allocates it. `result` receives whether it is a hit and which line was
  /// evicted.
  Line& find(std::uint64_t line, Access& result);
  /// Allocates a way for the line in its set. `result` receives the evicted line.
  void replace_by(std::uint64_t line, Access& result);
  std::uint64_t set_of(std::uint64_t line) const;
  void number_anew();
  Way& victim(std::uint64_t set);
  void move_back(Way* ways, std::uint32_t first, std::uint32_t last_use) const;

  std::uint32_t line_bytes_, ways_;
  std::uint64_t sets_, rotation_;
  std::uint32_t clock_ = 0, last_number_;
  Tags tags_;                         ///< set-major
  FreshPages<std::uint32_t> firsts_;  ///< the first way of the ring of each set
  PageList pages_;
  std::vector<FreshPages<Line>> chunks_;  ///< the memory of pages
  std::size_t made_ = 0;                  ///< pages
  std::vector<Line*> spare_;              ///< pages, all of whose lines are as new
};

// Every line of every move passes through these functions. They are in the header so that the
// compiler inlines them.

inline L2Cache::Line& L2Cache::at(std::uint64_t line) {
  Line* const state = state_of(line);
  return state != nullptr ? *state : add_page(line / kPageLines)[line % kPageLines];
}

inline void L2Cache::prefetch(std::uint64_t line) const {
  const Line* const state = state_of(line);
  if (state != nullptr) __builtin_prefetch(state, 1);
}

inline L2Cache::Line& L2Cache::find(std::uint64_t line, Access& result) {
  Line& entry = at(line);
  if (clock_ == last_number_) number_anew();
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
