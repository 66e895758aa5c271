// Who added to a word of global memory. A cell has the mark of its last write; additions of several
// cores commute, and who reads the sum must be behind all of them.
#pragma once

#include <unordered_map>
#include <vector>

#include "checker/mark.hpp"

namespace davsim::checker {

class Adders {
 public:
  void begin_launch() { before_.clear(); }

  /// `mark` adds to what `old` has added to.
  void added(const Mark& mark, const Mark& old) {
    Before& before = before_[mark.stamp];
    if (before.last == old.stamp) return;
    before.last = old.stamp;
    put(before.marks, mark, old);
    const auto found = before_.find(old.stamp);
    if (found == before_.end()) return;
    for (const Mark& earlier : found->second.marks) put(before.marks, mark, earlier);
  }
  /// Calls `visit` for the last addition of each other pipe before `mark`.
  template <class Visit>
  void for_each_before(const Mark& mark, Visit visit) const {
    const auto found = before_.find(mark.stamp);
    if (found == before_.end()) return;
    for (const Mark& earlier : found->second.marks) visit(earlier);
  }

 private:
  struct Before {
    Stamp last = 0;
    std::vector<Mark> marks;
  };
  static void put(std::vector<Mark>& marks, const Mark& mark, const Mark& old) {
    if (old.agent == mark.agent) return;
    for (Mark& known : marks) {
      if (known.agent != old.agent) continue;
      if (known.stamp < old.stamp) known = old;
      return;
    }
    marks.push_back(old);
  }

  std::unordered_map<Stamp, Before> before_;
};

}  // namespace davsim::checker
