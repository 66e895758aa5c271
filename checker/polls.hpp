// Words in the memories of several dies through which kernels wait for each other by loops of their
// own: a core writes a flag behind its data, another one reads the flag until it is there.
//
// A read of bytes that a core of whichever die wrote, which nothing orders, takes over what the
// writer's pipe knew when it began the write. A barrier between data and flag makes the data a part
// of that. Without it the data stay unordered, and their reads are races. The read itself is a poll
// if its line reads the bytes more than once around the write, on the same core, or if it moves few
// bytes to UB and the scalar unit loads them there: reads and writes
// of polled bytes are then no race.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/cell.hpp"
#include "checker/clock.hpp"
#include "checker/finding.hpp"
#include "checker/site.hpp"

namespace davsim::checker {

class Polls {
 public:
  /// A launch begins, on several dies or on one, where nothing is kept.
  void begin_launch(bool several_dies);
  bool on() const { return on_; }

  /// `mark` writes the bytes of `cell`, by a pipe with this clock.
  void wrote(const Mark& mark, const Clock& clock, const Cell& cell);
  /// Of `mark`, which writes what another core has read at `old`; nothing orders the two.
  void overwrote(const Mark& mark, const Mark& old);
  /// `mark` reads what `write` of another core wrote; nothing orders the two. The clock that the
  /// reader takes over; nullptr if there is none.
  const Clock* found(const Mark& mark, const Mark& write);
  /// `mark` reads what `write` of another core wrote, and the two are ordered. A line that has
  /// found this write before looks again: what it saw had not arrived.
  void read_again(const Mark& mark, const Mark& write);
  /// The scalar unit looks at what a line read of another core's write, and decides by it.
  void looked_at(std::uint32_t site) { sites_.insert(site); }
  /// Whether `write` is over for a reader with this clock, because a poll that is known to it, or
  /// one of its own core, has found it.
  bool is_over(const Mark& write, std::uint32_t core, const Clock& clock) const;
  /// Whether a finding is only that a line polls.
  bool explains(const Finding& finding, const Sites& sites) const;

 private:
  /// A core's poll that found a write.
  struct Found {
    Agent agent;
    Stamp stamp;
    std::uint32_t site;
  };
  struct Written {
    Clock clock;
    std::vector<std::pair<Agent, std::uint32_t>> readers;  ///< before it, with their sites
    std::vector<Found> found;                              ///< the first one of each core
  };

  bool on_ = false;
  std::unordered_map<Stamp, Written> writes_;  ///< of this launch
  std::set<std::uint32_t> sites_;              ///< that poll
};

}  // namespace davsim::checker
