// Rows of one lane of a timeline. Viewers hide slices of a row that overlap, so an instruction that
// starts before an earlier one has ended goes to another row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "traces/observed.hpp"

namespace davsim::traces {

class LaneRows {
 public:
  std::size_t size() const { return busy_until_.size(); }
  /// The first row that is free at `start`; a new one, equal to size() before, if there is none.
  std::size_t place(Cycle start, Cycle end) {
    const auto free = std::find_if(busy_until_.begin(), busy_until_.end(),
                                   [&](Cycle busy_until) { return busy_until <= start; });
    const auto row = static_cast<std::size_t>(free - busy_until_.begin());
    if (free == busy_until_.end()) busy_until_.push_back(0);
    busy_until_[row] = end;
    return row;
  }

 private:
  std::vector<Cycle> busy_until_;
};

}  // namespace davsim::traces
