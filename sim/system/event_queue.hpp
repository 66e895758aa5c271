// What is to happen on the fabric, in the order in which it will. A large collective operation has
// hundreds of thousands of events to come. A heap of them would leave the host's caches, so only
// the events of the next few cycles are kept in order. All others wait in stretches of cycles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "memory/cycle.hpp"

namespace davsim::sim {

/// `Entry` has a `cycle`, and an operator> by which the entries of one cycle have an order, too.
template <class Entry>
class EventQueue {
 public:
  bool empty() const { return next() == nullptr; }
  const Entry& top() const { return *next(); }
  void push(const Entry& entry) {
    const memory::Cycle stretch = entry.cycle / kStretch;
    if (empty()) stretch_ = stretch;
    if (stretch > stretch_) return far_[stretch].push_back(entry);
    late_.push(entry);
  }
  void pop() {
    if (late_is_next()) {
      late_.pop();
    } else {
      ++at_;
    }
    if (empty() && !far_.empty()) begin_stretch();
  }
  void clear() {
    near_.clear();
    late_ = {};
    far_.clear();
    at_ = 0;
  }

 private:
  /// So many cycles are put in order at a time. Events are mostly known earlier than that.
  static constexpr memory::Cycle kStretch = 128;

  bool late_is_next() const {
    return !late_.empty() && (at_ == near_.size() || near_[at_] > late_.top());
  }
  const Entry* next() const {
    if (late_is_next()) return &late_.top();
    return at_ < near_.size() ? &near_[at_] : nullptr;
  }
  void begin_stretch() {
    const auto first = far_.begin();
    stretch_ = first->first;
    near_ = std::move(first->second);
    far_.erase(first);
    at_ = 0;
    std::sort(near_.begin(), near_.end(), [](const Entry& a, const Entry& b) { return b > a; });
  }

  std::vector<Entry> near_;  ///< in order, done before at_
  std::size_t at_ = 0;
  /// Those that came when their stretch had begun, or was over.
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> late_;
  memory::Cycle stretch_ = 0;                        ///< of near_
  std::map<memory::Cycle, std::vector<Entry>> far_;  ///< by stretch, each behind stretch_
};

}  // namespace davsim::sim
