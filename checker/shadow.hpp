// The shadow of a memory: for every byte who wrote it last and who has read it since, kept as runs
// of bytes that are alike, page by page. A page that nobody touched costs a pointer.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "checker/mark.hpp"

namespace davsim::checker {

/// What is known of each byte of a run.
struct Cell {
  Mark write;
  /// Reads since that write, none of which is known to another.
  std::array<Mark, 2> reads{};
  std::shared_ptr<const std::vector<Mark>> more_reads;
  std::uint16_t writer = 0;   ///< buffer through which it was written last
  std::uint16_t covered = 0;  ///< another buffer through which it had been written before
  bool written = false;

  bool operator==(const Cell&) const = default;

  template <class Visit>
  void for_each_read(Visit visit) const {
    for (const Mark& read : reads) {
      if (read.stamp != 0) visit(read);
    }
    if (more_reads == nullptr) return;
    for (const Mark& read : *more_reads) visit(read);
  }

  /// Adds a read; those for which `replaced` holds are forgotten.
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

class Shadow {
 public:
  /// Short enough that a page of many runs is searched and moved quickly.
  static constexpr std::uint64_t kPageBytes = 1024;

  Shadow() = default;
  /// `written`: somebody has written all of it before anything is watched.
  Shadow(std::uint64_t bytes, bool written)
      : pages_((bytes + kPageBytes - 1) / kPageBytes), written_(written) {}

  /// Forgets everything.
  void clear() {
    for (auto& page : pages_) page.reset();
  }

  /// Calls change(cell, from, to) for every run of [addr, addr + bytes), in order; it may change
  /// the cell.
  template <class Change>
  void update(std::uint64_t addr, std::uint64_t bytes, Change change) {
    while (bytes > 0) {
      const std::uint64_t in_page = addr % kPageBytes;
      const std::uint64_t part = std::min(bytes, kPageBytes - in_page);
      update_page(addr / kPageBytes, static_cast<std::uint16_t>(in_page),
                  static_cast<std::uint16_t>(in_page + part), change);
      addr += part;
      bytes -= part;
    }
  }

  /// Bytes of host memory that the shadow takes.
  std::uint64_t host_bytes() const;
  /// Bytes that were written or read since the shadow was cleared.
  std::uint64_t touched_bytes() const;

 private:
  struct Run {
    std::uint16_t end = 0;  ///< byte of the page behind its last one
    Cell cell;
  };
  using Page = std::vector<Run>;

  Page& page(std::uint64_t number);
  static std::size_t split(Page& page, std::size_t index, std::uint16_t at);
  static void join_alike(Page& page, std::size_t first, std::size_t last);

  template <class Change>
  void update_page(std::uint64_t number, std::uint16_t from, std::uint16_t to, Change change) {
    Page& runs = page(number);
    const auto holds = std::partition_point(runs.begin(), runs.end(),
                                            [from](const Run& run) { return run.end <= from; });
    auto first = static_cast<std::size_t>(holds - runs.begin());
    const std::uint16_t start = first == 0 ? std::uint16_t{0} : runs[first - 1].end;
    if (start < from) first = split(runs, first, from) + 1;
    std::size_t last = first;
    std::uint16_t at = from;
    for (;; ++last) {
      if (runs[last].end > to) split(runs, last, to);
      const std::uint16_t end = runs[last].end;
      const std::uint64_t base = number * kPageBytes;
      change(runs[last].cell, base + at, base + end);
      at = end;
      if (at == to) break;
    }
    if (runs.size() > 1) join_alike(runs, first, last);
  }

  std::vector<std::unique_ptr<Page>> pages_;
  bool written_ = false;
};

}  // namespace davsim::checker
