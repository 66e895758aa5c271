#include "memory/l2/l2_cache.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace davsim::memory {

L2Cache::L2Cache(std::uint64_t bytes, std::uint32_t line, std::uint32_t ways,
                 std::uint64_t rotation, std::uint32_t last_number)
    : line_bytes_(line), ways_(ways), sets_(0), rotation_(rotation), last_number_(last_number) {
  if (line == 0 || ways == 0 || bytes == 0 || bytes % (std::uint64_t{line} * ways) != 0) {
    throw std::invalid_argument("an L2 of " + std::to_string(bytes) +
                                " bytes does not divide into " + std::to_string(ways) +
                                " ways of " + std::to_string(line) + "-byte lines");
  }
  sets_ = bytes / (std::uint64_t{line} * ways);
  empty_tags();
}

void L2Cache::empty_tags() {
  tags_ = Tags(sets_ * ways_);
  firsts_ = FreshPages<std::uint32_t>(sets_);
}

L2Cache::Line* L2Cache::add_page(std::uint64_t page) {
  if (page > ~std::uint32_t{0} / kPageLines) {
    throw std::length_error("L2 has tags for addresses below 2^32 lines");
  }
  if (page >= pages_.size()) {
    PageList longer(std::bit_ceil(page + 1));
    // To copy an empty entry would take memory for it.
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      if (pages_.get()[i].lines != nullptr) longer.get()[i] = pages_.get()[i];
    }
    pages_ = std::move(longer);
  }
  if (spare_.empty()) {
    if (made_ % kPagesAtATime == 0) chunks_.emplace_back(kPagesAtATime * kPageLines);
    spare_.push_back(chunks_.back().get() + made_ % kPagesAtATime * kPageLines);
    ++made_;
  }
  Line* const added = spare_.back();
  spare_.pop_back();
  return pages_.get()[page].lines = added;
}

void L2Cache::remove_line(std::uint64_t line) {
  Page& page = pages_.get()[line / kPageLines];
  page.lines[line % kPageLines] = {};
  if (--page.held == 0) spare_.push_back(std::exchange(page.lines, nullptr));
}

void L2Cache::replace_by(std::uint64_t line, Access& result) {
  const std::uint64_t set = set_of(line);
  Way& way = victim(set);
  ++pages_.get()[line / kPageLines].held;  // before another line of the page may leave
  if (way.used != 0) {
    result.written_back = at(way.line).dirty;
    result.left = way.line;
    remove_line(way.line);
  }
  way = {static_cast<std::uint32_t>(line), clock_};
  std::uint32_t& first = firsts_.get()[set];  // the way is the last one of the ring now
  first = first + 1u == ways_ ? 0 : first + 1;
}

/// Gives the numbers of accesses that lines and ways have the least numbers in the same order.
void L2Cache::number_anew() {
  std::vector<std::uint32_t> numbers;
  const auto for_each_number = [&](auto visit) {
    for (Way* way = tags_.get(); way != tags_.get() + tags_.size(); ++way) {
      if (way->used == 0) continue;
      visit(way->used);
      visit(at(way->line).last_use);
    }
  };
  for_each_number([&](std::uint32_t number) { numbers.push_back(number); });
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  const auto place = [&](std::uint32_t number) {
    return std::lower_bound(numbers.begin(), numbers.end(), number) - numbers.begin();
  };
  for_each_number(
      [&](std::uint32_t& number) { number = static_cast<std::uint32_t>(place(number)) + 1; });
  clock_ = static_cast<std::uint32_t>(numbers.size());
}

L2Cache::Access L2Cache::read_no_allocate(std::uint64_t line, Sectors sectors) {
  Access result;
  result.fetched = sectors;
  if (holds(line)) {
    Line& entry = at(line);
    result.fetched = static_cast<Sectors>(sectors & ~entry.valid);
    result.pending = &entry.pending;
  }
  result.hit = result.fetched == 0;
  return result;
}

L2Cache::Access L2Cache::write_no_allocate(std::uint64_t line, Sectors sectors, Sectors partial) {
  Access result;
  result.hit = holds(line);
  result.written_back = sectors;
  result.left = line;
  if (result.hit) {
    Line& entry = at(line);
    // HBM now has the written bytes too. Sectors that were written in part stay as they are,
    // because their other bytes may be dirty.
    entry.dirty &= static_cast<Sectors>(~sectors | partial);
    result.pending = &entry.pending;
  }
  return result;
}

std::uint64_t L2Cache::set_of(std::uint64_t line) const {
  return (line + line / sets_ * rotation_) % sets_;
}

bool L2Cache::holds(std::uint64_t line) const {
  const Line* const state = state_of(line);
  return state != nullptr && state->last_use != 0;
}

void L2Cache::flush() {
  empty_tags();
  pages_ = {};
  spare_.clear();
  chunks_.clear();
  made_ = 0;
}

/// To look at all ways would take three lines of the host's caches, which many dies' tags leave.
L2Cache::Way& L2Cache::victim(std::uint64_t set) {
  Way* const ways = tags_.get() + set * ways_;
  const std::uint32_t first = firsts_.get()[set];
  for (;;) {
    Way& oldest = ways[first];
    if (oldest.used == 0) return oldest;
    const std::uint32_t last_use = at(oldest.line).last_use;
    if (last_use == oldest.used) return oldest;
    move_back(ways, first, last_use);
  }
}

/// Moves the first way of a ring behind those that were used before it.
void L2Cache::move_back(Way* ways, std::uint32_t first, std::uint32_t last_use) const {
  const std::uint32_t line = ways[first].line;
  std::uint32_t place = first;
  for (std::uint32_t others = ways_ - 1; others > 0; --others) {
    const std::uint32_t next = place + 1 == ways_ ? 0 : place + 1;
    if (ways[next].used > last_use) break;
    ways[place] = ways[next];
    place = next;
  }
  ways[place] = {line, last_use};
}

}  // namespace davsim::memory
