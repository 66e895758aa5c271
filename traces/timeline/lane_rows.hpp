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
  /// `whole`: in a row of its own then, so that the interval stays as it is.
  Place place(std::uint64_t begin, std::uint64_t end, bool whole = false, std::uint64_t least = 1) {
    const std::size_t rows = whole ? size() : std::min(size(), most_);
    const auto last = busy_until_.begin() + static_cast<std::ptrdiff_t>(rows);
    auto row = std::find_if(busy_until_.begin(), last,
                            [&](std::uint64_t busy_until) { return busy_until <= begin; });
    if (row == last && (whole || rows < most_)) {
      row = busy_until_.insert(last, 0);
    } else if (row == last) {
      row = std::min_element(busy_until_.begin(), last);
      begin = *row;
      end = std::max(end, begin + least);
    }
    *row = end;
    return {static_cast<std::size_t>(row - busy_until_.begin()), begin, end};
  }

 private:
  std::size_t most_;
  std::vector<std::uint64_t> busy_until_;
};

}  // namespace davsim::traces
