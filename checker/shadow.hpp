// The shadow of a memory: the number of the cell of every byte. One number stands for a block of 32
// bytes, because most accesses consist of such blocks. A block of which only a part was touched is
// split into pieces. Numbers are stored in pages. An untouched page costs one pointer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "checker/cell_pool.hpp"
#include "isa/exec/accesses.hpp"

namespace davsim::checker {

class Shadow {
 public:
  static constexpr std::uint64_t kBlockBytes = 32, kPageBytes = 2048;

  /// Bytes of an access that share a cell.
  class Run {
   public:
    std::uint64_t from() const { return from_; }
    /// The end of the bytes of the access that share the cell, from here on. Searches them.
    std::uint64_t end() const { return shadow_.end_of_run(id_, from_, limit_); }

   private:
    friend class Shadow;
    Run(const Shadow& shadow, CellPool::Id id, std::uint64_t from, std::uint64_t limit)
        : shadow_(shadow), id_(id), from_(from), limit_(limit) {}
    const Shadow& shadow_;
    CellPool::Id id_;
    std::uint64_t from_, limit_;
  };

  Shadow() : Shadow(0, false) {}
  /// `written` says whether all of the memory counts as written from the start.
  Shadow(std::uint64_t bytes, bool written) : cells_(written), bytes_(bytes), written_(written) {}

  /// Clears the shadow.
  void clear();

  /// Begins an access with this number. `mask` has one bit for each byte of a block that the access
  /// touches. If not all bits are set, the access consists of whole blocks.
  struct Part {
    std::uint64_t number;
    std::uint32_t mask;
  };
  /// Handles the part [addr, addr + bytes) of an access. Calls access.change(cell, run) for each
  /// cell that the access has not met before. change() may change the cell. Calls
  /// access.unset(from, to, site), in order, for every range that no access has written, with site
  /// 0, and for every range that was computed from such bytes, with the site that read them.
  template <class Access>
  void update(const Part& part, std::uint64_t addr, std::uint64_t bytes, Access& access) {
    cells_.begin(part.number);
    const std::uint64_t end = addr + bytes;
    while (addr < end) {
      const std::uint64_t to = std::min(end, (addr / kPageBytes + 1) * kPageBytes);
      Page& blocks = page(addr / kPageBytes);
      if (part.mask == kAllBytes) {
        update_page(blocks, addr, to, end, access);
      } else {
        for (; addr < to; addr += kBlockBytes) update_block(blocks, addr, part.mask, 0, access);
      }
      addr = to;
    }
  }

  /// The bytes of host memory that the shadow uses.
  std::uint64_t host_bytes() const;
  /// The bytes that were written or read since the shadow was cleared.
  std::uint64_t touched_bytes() const;

 private:
  using Id = CellPool::Id;
  /// Ids with this bit number a split block.
  static constexpr Id kSplit = Id{1} << 31;
  /// In whole lines of the host's cache: what a row of an access touches is then often in one.
  struct alignas(64) Page : std::array<Id, kPageBytes / kBlockBytes> {};
  static constexpr std::uint32_t kAllBytes = ~std::uint32_t{0};
  /// Bytes of a split block that share a cell.
  struct Piece {
    Id id;
    std::uint32_t mask;
  };
  using Pieces = std::vector<Piece>;

  Page& page(std::uint64_t number) {
    if (pages_.empty()) pages_.resize((bytes_ + kPageBytes - 1) / kPageBytes);
    auto& page = pages_.at(number);
    if (page == nullptr) page = new_page();
    return *page;
  }
  std::unique_ptr<Page> new_page();
  /// Calls visit(id, mask) for the pieces of a block. A block that is not split is one piece.
  template <class Visit>
  void for_each_piece(Id block, Visit visit) const {
    if ((block & kSplit) == 0) return visit(block, kAllBytes);
    for (const Piece& piece : splits_[block & ~kSplit]) visit(piece.id, piece.mask);
  }
  std::uint64_t end_of_run(Id id, std::uint64_t addr, std::uint64_t limit) const;
  static void add(Pieces& pieces, Id id, std::uint32_t mask);
  static constexpr std::size_t kNoPiece = ~std::size_t{0};
  /// The piece of a split block that has all bytes of `mask`, if there is one.
  std::size_t piece_around(Id block, std::uint32_t mask) const {
    if ((block & kSplit) == 0) return kNoPiece;
    const Pieces& pieces = splits_[block & ~kSplit];
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if ((pieces[i].mask & mask) != 0) return (pieces[i].mask & mask) == mask ? i : kNoPiece;
    }
    return kNoPiece;
  }
  void replace_in_piece(Id& block, std::size_t piece, std::uint32_t mask, Id next);
  Id take_pieces(Id before);
  Id new_split();
  static constexpr std::uint32_t mask_of(std::uint64_t from, std::uint64_t to) {
    return static_cast<std::uint32_t>((std::uint64_t{1} << to) - (std::uint64_t{1} << from));
  }

  template <class Access>
  Id changed(Id id, std::uint64_t from, std::uint64_t limit, Access& access) {
    return cells_.changed(id,
                          [&](Cell& cell) { access.change(cell, Run(*this, id, from, limit)); });
  }

  template <class Access>
  void update_page(Page& blocks, std::uint64_t addr, std::uint64_t to, std::uint64_t limit,
                   Access& access) {
    while (addr < to) {
      const std::size_t block = addr % kPageBytes / kBlockBytes;
      const Id id = blocks[block];
      const std::uint64_t from = addr % kBlockBytes;
      if ((id & kSplit) != 0 || from != 0 || to - addr < kBlockBytes) {
        const std::uint64_t stop = std::min(kBlockBytes, from + (to - addr));
        update_block(blocks, addr - from, mask_of(from, stop), limit, access);
        addr += stop - from;
        continue;
      }
      const Id next = changed(id, addr, limit, access);
      const std::uint32_t count = replace(&blocks[block], (to - addr) / kBlockBytes, id, next);
      const std::uint64_t stop = addr + count * kBlockBytes;
      if (!cells_[id].set()) access.unset(addr, stop, cells_[id].made_of_unwritten);
      if (next != id) {
        cells_.keep(next, count);
        cells_.drop(id, count);
      }
      addr = stop;
    }
  }

  /// Replaces the numbers from `blocks` on that are `id`, at most `most` and at least one, by
  /// `next`. Returns how many they are.
  static std::uint32_t replace(Id* blocks, std::uint64_t most, Id id, Id next) {
    constexpr std::size_t kAtOnce = 8;  // two vectors of the host
    std::size_t count = 0;
    for (; count + kAtOnce <= most; count += kAtOnce) {
      Id* const at = blocks + count;
      Id differ = 0;
      for (std::size_t i = 0; i < kAtOnce; ++i) differ |= at[i] ^ id;
      if (differ != 0) break;
      std::fill_n(at, kAtOnce, next);
    }
    for (; count < most && blocks[count] == id; ++count) blocks[count] = next;
    return static_cast<std::uint32_t>(count);
  }

  /// Handles the block at `start`, of which the access touches the bytes of `mask`. These bytes are
  /// contiguous up to `limit`, unless `limit` is 0.
  template <class Access>
  void update_block(Page& blocks, std::uint64_t start, std::uint32_t mask, std::uint64_t limit,
                    Access& access) {
    Id& block = blocks[start % kPageBytes / kBlockBytes];
    if (const std::size_t piece = piece_around(block, mask); piece != kNoPiece) {
      return update_piece(block, piece, start, mask, limit, access);
    }
    std::uint32_t unset = 0;
    std::uint16_t site = 0;
    after_.clear();
    for_each_piece(block, [&](Id id, std::uint32_t bytes) {
      const std::uint32_t touched = bytes & mask;
      if (touched != bytes) add(after_, id, bytes & ~mask);
      if (touched == 0) return;
      if (!cells_[id].set()) {
        unset |= touched;
        site = cells_[id].made_of_unwritten;
      }
      add(after_, changed(id, start, touched, limit, access), touched);
    });
    tell_unset(start, unset, site, access);
    block = take_pieces(block);
  }

  /// The same where all touched bytes belong to one piece of a split block, as they do in loops
  /// over single elements. The other pieces stay what they are.
  template <class Access>
  void update_piece(Id& block, std::size_t piece, std::uint64_t start, std::uint32_t mask,
                    std::uint64_t limit, Access& access) {
    const Id id = splits_[block & ~kSplit][piece].id;
    const Id next = changed(id, start, mask, limit, access);
    if (!cells_[id].set()) tell_unset(start, mask, cells_[id].made_of_unwritten, access);
    if (next != id) replace_in_piece(block, piece, mask, next);
  }

  /// The cell that an access makes of that of the bytes of `mask` in the block at `start`.
  template <class Access>
  Id changed(Id id, std::uint64_t start, std::uint32_t mask, std::uint64_t limit, Access& access) {
    const auto first = static_cast<std::uint64_t>(std::countr_zero(mask));
    const auto ones = static_cast<std::uint64_t>(std::countr_one(mask >> first));
    return changed(id, start + first, limit == 0 ? start + first + ones : limit, access);
  }

  template <class Access>
  static void tell_unset(std::uint64_t start, std::uint32_t mask, std::uint16_t site,
                         Access& access) {
    isa::Access::for_each_ones(mask, [&](unsigned bit, unsigned ones) {
      access.unset(start + bit, start + bit + ones, site);
    });
  }

  CellPool cells_;
  std::uint64_t bytes_ = 0;
  bool written_ = false;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<Pieces> splits_;
  std::vector<Id> free_splits_;
  Pieces after_;  ///< of the block that is being changed
};

}  // namespace davsim::checker
