// Rows of one lane of a timeline. Viewers hide slices of a row that overlap, so an instruction that
// starts before an earlier one has ended goes to another row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace davsim::traces {

class LaneRows {
 public:
  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();
  /// Has at most `most` rows, at least one.
  explicit LaneRows(std::size_t most = kAnyNumber) : most_(most) {}

  struct Place {
    std::size_t row = 0;
    std::uint64_t begin = 0, end = 0;  ///< what of the interval is free in the row
  };

  std::size_t size() const { return busy_until_.size(); }
  /// The first row that is free at `begin`; a new one, equal to size() before, if there is none. If
  /// there may be no more, the row that is free first, from then on, for `least` at least.
  Place place(std::uint64_t begin, std::uint64_t end, std::uint64_t least = 1) {
    const auto last = rows_end();
    auto row = first_free(last, begin);
    if (row == last && size() < most_) {
      row = busy_until_.insert(last, 0);
    } else if (row == last) {
      row = std::min_element(busy_until_.begin(), last);
      begin = *row;
      end = std::max(end, begin + least);
    }
    return taken(row, begin, end);
  }
  /// For what must be seen where it ends: if no row is free at `begin`, on one behind the first,
  /// from where that is free, on a multiple of `least`. A new row if that leaves less than `least`.
  Place place_end(std::uint64_t begin, std::uint64_t end, std::uint64_t least) {
    auto row = first_free(busy_until_.end(), begin);
    if (row != busy_until_.end()) return taken(row, begin, end);
    const auto next = [least](std::uint64_t at) { return (at + least - 1) / least * least; };
    const std::ptrdiff_t second = busy_until_.empty() ? 0 : 1;
    row = std::find_if(busy_until_.begin() + second, busy_until_.end(),
                       [&](std::uint64_t busy_until) { return next(busy_until) + least <= end; });
    if (row == busy_until_.end()) return taken(busy_until_.insert(row, 0), begin, end);
    return taken(row, next(*row), end);
  }

 private:
  using Row = std::vector<std::uint64_t>::iterator;
  Row rows_end() {
    return busy_until_.begin() + static_cast<std::ptrdiff_t>(std::min(size(), most_));
  }
  Row first_free(Row last, std::uint64_t begin) {
    return std::find_if(busy_until_.begin(), last,
                        [begin](std::uint64_t busy_until) { return busy_until <= begin; });
  }
  Place taken(Row row, std::uint64_t begin, std::uint64_t end) {
    *row = end;
    return {static_cast<std::size_t>(row - busy_until_.begin()), begin, end};
  }

  std::size_t most_;
  std::vector<std::uint64_t> busy_until_;
};

}  // namespace davsim::traces
