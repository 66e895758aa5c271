// The pool of cells, by number. Blocks of memory with the same state share a cell. An access
// therefore changes a cell once, however many rows it has. A cell is freed when no block uses it.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "checker/cell.hpp"

namespace davsim::checker {

class CellPool {
 public:
  using Id = std::uint32_t;
  static constexpr Id kUntouched = 0;  ///< the cell of bytes that no access has touched

  explicit CellPool(bool written) { clear(written); }

  /// Forgets all cells. `written` says whether untouched memory counts as written.
  void clear(bool written);

  /// Later calls belong to access `number`, until the next call of this function. 0 is no access.
  void begin(std::uint64_t number) {
    if (number == access_) return;
    access_ = number;
    made_count_ = 0;
    if (!dying_.empty()) release();
  }

  const Cell& operator[](Id id) const { return slots_[id].cell; }

  /// Returns the cell that the access makes of a cell. Calls change(cell) the first time the access
  /// meets the cell. A cell that the access has made itself stays unchanged. Cells that become
  /// equal are merged; otherwise a buffer would be split into ever more cells.
  template <class Change>
  Id changed(Id id, Change change) {
    if (slots_[id].access == access_) return slots_[id].next;
    Cell cell = slots_[id].cell;
    change(cell);
    const Id next = cell == slots_[id].cell ? id : made(std::move(cell));
    for (const Id met : {id, next}) {
      slots_[met].access = access_;
      slots_[met].next = next;
    }
    return next;
  }

  /// Adds `users` blocks or pieces of blocks to the users of the cell.
  void keep(Id id, std::uint32_t users) { slots_[id].users += users; }
  void drop(Id id, std::uint32_t users) {
    slots_[id].users -= users;
    if (slots_[id].users == 0) dying_.push_back(id);
  }

  std::uint64_t host_bytes() const;

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  /// Each in one line of the host's cache: an access meets few cells, but seldom the last one's.
  struct alignas(64) Slot {
    Cell cell;
    std::uint64_t access = 0;  ///< the last access that met the cell
    Id next = 0;               ///< the cell that this access made of it
    std::uint32_t users = 0;   ///< kFree: the slot holds no cell
  };

  Id made(Cell&& cell);
  Id add(Cell&& cell);
  void release();

  std::vector<Slot> slots_;
  std::vector<Id> free_;
  std::vector<Id> dying_;  ///< cells without users; the current access may need them again
  std::uint64_t access_ = 0;
  std::array<Id, 4> made_{};  ///< the first cells that the access has made: most make one
  std::size_t made_count_ = 0;
};

}  // namespace davsim::checker
