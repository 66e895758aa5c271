// A cell: the last write of a byte, and the reads since that write.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "checker/mark.hpp"

namespace davsim::checker {

struct Cell {
  Mark write;
  /// Reads since that write. None of them happens before another.
  std::array<Mark, 2> reads{};
  std::shared_ptr<const std::vector<Mark>> more_reads;
  std::uint16_t writer = 0;   ///< buffer through which it was written last
  std::uint16_t covered = 0;  ///< another buffer through which it had been written before
  /// The site that read bytes that nobody wrote and made these bytes of them; 0: there is none.
  std::uint16_t made_of_unwritten = 0;
  bool written = false;

  bool operator==(const Cell&) const = default;

  /// Whether the bytes have a value of the kernel's or the host's.
  bool set() const { return written && made_of_unwritten == 0; }
  bool touched() const { return write.stamp != 0 || reads[0].stamp != 0 || reads[1].stamp != 0; }

  template <class Visit>
  void for_each_read(Visit visit) const {
    for (const Mark& read : reads) {
      if (read.stamp != 0) visit(read);
    }
    if (more_reads == nullptr) return;
    for (const Mark& read : *more_reads) visit(read);
  }

  /// Adds a read and forgets the reads for which `replaced` holds.
  template <class Replaced>
  void add_read(const Mark& read, Replaced replaced) {
    for (Mark& old : reads) {
      if (old.stamp != 0 && replaced(old)) old = {};
    }
    if (more_reads != nullptr) keep_more(replaced);
    for (Mark& old : reads) {
      if (old.stamp != 0) continue;
      old = read;
      return;
    }
    auto longer = more_reads == nullptr ? std::make_shared<std::vector<Mark>>()
                                        : std::make_shared<std::vector<Mark>>(*more_reads);
    longer->push_back(read);
    more_reads = std::move(longer);
  }

  /// The bytes of host memory of the cell outside the object itself. Cells that share these bytes
  /// count a part each.
  std::uint64_t host_bytes() const {
    if (more_reads == nullptr) return 0;
    const std::uint64_t bytes = sizeof(*more_reads) + more_reads->capacity() * sizeof(Mark);
    return bytes / static_cast<std::uint64_t>(more_reads.use_count());
  }

 private:
  template <class Replaced>
  void keep_more(Replaced replaced) {
    auto kept = std::make_shared<std::vector<Mark>>();
    for (const Mark& old : *more_reads) {
      if (!replaced(old)) kept->push_back(old);
    }
    more_reads = kept->empty() ? nullptr : std::move(kept);
  }
};

}  // namespace davsim::checker
