// Length of the union of intervals that come nearly in order.
#pragma once

#include <algorithm>
#include <vector>

#include "traces/observed.hpp"

namespace davsim::traces {

/// Keeps only the last intervals. Few instructions are in flight at one time, so an interval that
/// arrives out of order overlaps only those.
class BusyUnion {
 public:
  void add(Cycle begin, Cycle end) {
    if (begin >= end) return;
    // Intervals that overlap or touch the new one become part of it.
    auto place = std::find_if(recent_.rbegin(), recent_.rend(), [&](const Interval& interval) {
                   return interval.begin <= end;
                 }).base();
    while (place != recent_.begin() && std::prev(place)->end >= begin) {
      --place;
      begin = std::min(begin, place->begin);
      end = std::max(end, place->end);
      place = recent_.erase(place);
    }
    recent_.insert(place, {begin, end});
    if (recent_.size() > kMost) settle();
  }

  Cycle length() const {
    Cycle length = settled_;
    for (const Interval& interval : recent_) length += interval.end - interval.begin;
    return length;
  }

 private:
  static constexpr std::size_t kMost = 512;
  struct Interval {
    Cycle begin, end;
  };

  /// Adds up the older half of the intervals, which no later one can overlap.
  void settle() {
    const auto half = recent_.begin() + kMost / 2;
    for (auto i = recent_.begin(); i != half; ++i) settled_ += i->end - i->begin;
    recent_.erase(recent_.begin(), half);
  }

  std::vector<Interval> recent_;  ///< apart, in order
  Cycle settled_ = 0;
};

}  // namespace davsim::traces
