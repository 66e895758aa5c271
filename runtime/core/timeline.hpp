// When the work of all streams runs on the clock of the devices. Each launch is simulated alone;
// the timeline lays launches and copies side by side, on the cores of their die that are free, and
// lets those of one die share its rates of HBM, L2 and the link to the host.
//
// Each die has a clock of its own (see die_timeline.hpp), which goes on when somebody asks for a
// time that depends on it. What one thread of the host asks of its device therefore says nothing
// about when the works of other devices start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/core/die_timeline.hpp"

namespace davsim::runtime {

/// Calls may come from any thread.
class Timeline {
 public:
  /// Each of the dies has so many cores.
  Timeline(std::uint32_t dies, std::uint32_t aics, std::uint32_t aivs_per_aic);

  /// Adds a work. It starts once the moments `after` have passed (a null one has) and its cores are
  /// free, before those that were added later and need cores of the same type. `end` passes with
  /// it.
  void add(std::vector<MomentPtr> after, Demand demand, const MomentPtr& end);
  /// `end` passes with the last of the moments `after`.
  void join(std::vector<MomentPtr> after, const MomentPtr& end);
  /// `end` passes with the last of everything that was added before, of one die or of all.
  void join_all(std::optional<std::uint32_t> die, const MomentPtr& end);
  /// When a moment passes. What is added from then on to the dies that it depends on starts later.
  /// The present time for one whose work has not been added.
  Microseconds at(const Moment& moment);
  /// When everything that was added has ended.
  Microseconds end();

 private:
  /// A work that takes neither cores nor rates: it begins when the moments before it have passed.
  struct Passing {
    std::vector<MomentPtr> after;
    Microseconds not_before = 0;
    Microseconds duration = 0;
    std::optional<std::uint32_t> die;
    MomentPtr end;
  };
  /// Numbers of dies.
  using Dies = std::vector<std::uint32_t>;

  void add_passing(Passing passing);
  void bound_waiting();
  Dies all_dies() const;
  Dies dies_before(const Moment& moment) const;
  bool step(const Dies& dies);
  void pass_what_can();
  bool pass(Passing& passing);
  Microseconds now() const;

  std::mutex mutex_;
  std::vector<DieTimeline> dies_;
  std::vector<Microseconds> passed_;  ///< by die: the last end of works that take nothing of it
  std::vector<Passing> passing_;      ///< in the order in which they were added
};

}  // namespace davsim::runtime
