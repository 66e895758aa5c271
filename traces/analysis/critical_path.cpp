#include "traces/analysis/critical_path.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "traces/analysis/polls.hpp"

namespace davsim::traces {
namespace {

using isa::Pipe;

/// A pipe has at most this many instructions in flight (slots of sim::Pipe).
constexpr std::size_t kMostInFlight = 64;

/// The end of a stall of the scalar unit at a full queue, and the instruction that made room.
struct Release {
  Cycle at = 0;
  Place by;
};

class PathFinder {
 public:
  explicit PathFinder(const Timeline& timeline);
  std::vector<PathStep> find();

 private:
  /// Where the cause of the cycle at_ is searched.
  enum class Look : std::uint8_t { kIssueOf, kEndOf, kScalar, kEndOfBlock, kNowhere };

  bool comes_before(std::uint32_t core, std::uint32_t other) const {
    return timeline_.cores[core].name < timeline_.cores[other].name;
  }
  const TimelineEvent& event(const Place& place) const {
    return timeline_.cores[place.core].of(place.pipe)[place.index];
  }
  void step();
  void issue_of(const Place& place);
  void end_of(const Place& place);
  /// Explains a read that ended a wait for what another core wrote. False if it did not.
  bool found_by_poll(const Place& place);
  void released(const Place& wait);
  void scalar();
  void scalar_event(const Place& place);
  void before_block(const TimelineBlock& block);
  void end_of_block();

  /// The event of a pipe that ended last, not after `at`.
  std::optional<Place> last_ended(std::uint32_t core, Pipe pipe, Cycle at) const;
  /// The same over all pipes with a queue.
  std::optional<Place> last_ended(std::uint32_t core, Cycle at) const;

  void look(Look look, const Place& place) { look_ = look, place_ = place; }
  void look_at_scalar(std::uint32_t core, std::size_t before) {
    look_ = Look::kScalar;
    place_ = {core, Pipe::S, before};
  }
  /// Explains the time from `begin` to at_ by the event at `place`.
  void explain(const Place& place, CycleClass cycle_class, std::uint32_t name, std::uint32_t line,
               Cycle begin);
  /// The same, with the instruction at `place`.
  void explain_work(const Place& place, Cycle begin);
  void explain_issue(std::uint32_t core, Cycle begin) {
    explain({core, Pipe::S, 0}, CycleClass::kBusy, 0, line_, begin);
  }

  const Timeline& timeline_;
  Polls polls_;
  std::unordered_map<std::uint64_t, Place> sets_;  ///< by flow
  std::vector<std::vector<Release>> releases_;     ///< of each core, in the order of time

  Look look_ = Look::kNowhere;
  Place place_;
  Cycle at_ = 0;                 ///< the time after this cycle is explained
  std::uint32_t line_ = 0;       ///< of the instruction that was looked at last
  std::vector<PathStep> steps_;  ///< from the end to the start
};

PathFinder::PathFinder(const Timeline& timeline)
    : timeline_(timeline), polls_(timeline), releases_(timeline.cores.size()), at_(timeline.end) {
  for (std::uint32_t core = 0; core < timeline.cores.size(); ++core) {
    for (std::size_t p = 0; p < isa::kPipeCount; ++p) {
      const auto pipe = static_cast<Pipe>(p);
      const auto& events = timeline.cores[core].pipes[p];
      for (std::size_t i = 0; i < events.size(); ++i) {
        if (events[i].kind == EventKind::kSet) sets_[events[i].flow] = {core, pipe, i};
        // It entered the queue in the cycle in which the instruction `depth` places ahead left it.
        const std::size_t depth = timeline.queue_depth;
        if (pipe == Pipe::S || depth == 0 || i < depth) continue;
        if (events[i - depth].issued() == events[i].dispatched) {
          releases_[core].push_back({events[i].dispatched, {core, pipe, i - depth}});
        }
      }
    }
    std::stable_sort(releases_[core].begin(), releases_[core].end(),
                     [](const Release& a, const Release& b) { return a.at < b.at; });
  }
}

std::vector<PathStep> PathFinder::find() {
  for (std::uint32_t core = 0; core < timeline_.cores.size(); ++core) {
    const auto& blocks = timeline_.cores[core].blocks;
    if (blocks.empty() || blocks.back().end != timeline_.end) continue;
    // If several cores end last, the choice does not depend on their order here.
    if (look_ != Look::kNowhere && !comes_before(core, place_.core)) continue;
    look(Look::kEndOfBlock, {core, Pipe::S, blocks.size() - 1});
  }
  // Each step goes back in time or back in a queue. The bound stops the search in a file that no
  // device wrote.
  std::size_t left = 1 << 16;
  for (const TimelineCore& core : timeline_.cores) {
    for (const auto& events : core.pipes) left += 4 * events.size();
  }
  while (look_ != Look::kNowhere && at_ > timeline_.start && left-- > 0) step();
  if (look_ == Look::kNowhere) {
    // The first block of a die that began later than others.
    explain(place_, CycleClass::kLaunch, 0, 0, timeline_.start);
  } else {
    explain_issue(place_.core, timeline_.start);
  }
  std::reverse(steps_.begin(), steps_.end());
  return std::move(steps_);
}

void PathFinder::step() {
  switch (look_) {
    case Look::kIssueOf:
      return issue_of(place_);
    case Look::kEndOf:
      return end_of(place_);
    case Look::kScalar:
      return scalar();
    case Look::kEndOfBlock:
      return end_of_block();
    case Look::kNowhere:
      break;
  }
}

void PathFinder::issue_of(const Place& place) {
  const TimelineEvent& e = event(place);
  line_ = e.line;
  if (e.kind == EventKind::kWait && e.end > e.start) return released(place);
  if (e.kind == EventKind::kBarrier && e.end > e.start && place.index > 0) {
    return look(Look::kEndOf, {place.core, place.pipe, place.index - 1});
  }
  if (e.held > 0) {
    // The cube and the Fixpipe pass blocks of L0C to each other while both work.
    const Pipe other = place.pipe == Pipe::M ? Pipe::FIX : Pipe::M;
    const auto& events = timeline_.cores[place.core].of(other);
    auto after = std::partition_point(events.begin(), events.end(),
                                      [&](const TimelineEvent& o) { return o.issued() < e.start; });
    while (after != events.begin() && std::prev(after)->kind != EventKind::kWork) --after;
    if (after != events.begin()) {
      const Place by{place.core, other,
                     static_cast<std::size_t>(std::prev(after) - events.begin())};
      explain_work(by, event(by).start);
      return look(Look::kIssueOf, by);
    }
  }
  if (e.dispatched >= at_ || place.index == 0) {
    return look_at_scalar(place.core, timeline_.cores[place.core].of(Pipe::S).size());
  }
  const Place before{place.core, place.pipe, place.index - 1};
  const TimelineEvent& p = event(before);
  if (p.kind == EventKind::kWork) explain_work(before, p.start);
  look(Look::kIssueOf, before);
}

/// A set ends when all before it have ended.
void PathFinder::end_of(const Place& place) {
  const TimelineEvent& e = event(place);
  line_ = e.line;
  if (e.kind == EventKind::kWork) {
    if (found_by_poll(place)) return;
    explain_work(place, e.start);
    return look(Look::kIssueOf, place);
  }
  for (std::size_t back = 1; back <= std::min(kMostInFlight, place.index); ++back) {
    const Place before{place.core, place.pipe, place.index - back};
    if (event(before).kind == EventKind::kWork && event(before).end == e.end) {
      return look(Look::kEndOf, before);
    }
  }
  look(Look::kIssueOf, place);
}

/// The loop had read the same words before the write was there. What it did until then was to wait.
bool PathFinder::found_by_poll(const Place& place) {
  const std::optional<Place> write = polls_.ended_by(place);
  if (!write) return false;
  const TimelineEvent& e = event(place);
  const Cycle there = event(*write).end;
  explain_work(place, std::max(e.start, there));
  explain(place, CycleClass::kWaitCrossCore, e.name, e.line, there);
  look(Look::kEndOf, *write);
  return true;
}

void PathFinder::released(const Place& wait) {
  const TimelineEvent& e = event(wait);
  const auto found = sets_.find(e.flow);
  if (found == sets_.end()) {  // a file without its arrows
    explain(wait, CycleClass::kWaitFlag, e.name, e.line, e.start);
    return look_at_scalar(wait.core, timeline_.cores[wait.core].of(Pipe::S).size());
  }
  const Place& set = found->second;
  explain(wait, CycleClass::kWaitCrossCore, e.name, e.line, event(set).end);
  if (set.pipe == Pipe::S) return look_at_scalar(set.core, set.index);
  look(Look::kEndOf, set);
}

/// The scalar unit reports its own instructions. The time between them is the issue of instructions
/// into queues. Only events before place_.index are considered.
void PathFinder::scalar() {
  const std::uint32_t core = place_.core;
  const TimelineCore& track = timeline_.cores[core];
  const auto& events = track.of(Pipe::S);
  std::size_t i = std::min(place_.index, events.size());
  while (i > 0 && events[i - 1].end > at_) --i;
  const Cycle event_at = i > 0 ? events[i - 1].end : 0;

  auto& releases = releases_[core];
  while (!releases.empty() && releases.back().at > at_) releases.pop_back();
  const Cycle release_at = releases.empty() ? 0 : releases.back().at;

  const auto block = std::find_if(track.blocks.rbegin(), track.blocks.rend(),
                                  [&](const TimelineBlock& b) { return b.start <= at_; });
  const Cycle block_at = block == track.blocks.rend() ? timeline_.start : block->start;

  if (i > 0 && event_at >= release_at && event_at >= block_at) {
    explain_issue(core, event_at);
    return scalar_event({core, Pipe::S, i - 1});
  }
  if (!releases.empty() && release_at >= block_at) {
    explain_issue(core, release_at);
    const Place by = releases.back().by;
    releases.pop_back();
    return look(Look::kIssueOf, by);
  }
  explain_issue(core, block_at);
  if (block == track.blocks.rend()) return look(Look::kNowhere, place_);
  before_block(*block);
}

void PathFinder::scalar_event(const Place& place) {
  const TimelineEvent& e = event(place);
  line_ = e.line;
  if (e.kind == EventKind::kWait && e.end > e.start) return released(place);
  if (e.kind == EventKind::kBarrier && e.end > e.start) {
    const std::optional<Place> last = last_ended(place.core, e.end);
    if (last && event(*last).end > e.start) return look(Look::kEndOf, *last);
  }
  if (e.kind == EventKind::kWork) {
    if (found_by_poll(place)) return;
    explain_work(place, e.start);
  }
  look_at_scalar(place.core, place.index);
}

/// The launch begins with the first blocks. A later block is dispatched when all cores of the
/// previous block have ended it: this core alone, or the cores of its AI core.
void PathFinder::before_block(const TimelineBlock& block) {
  const TimelineCore& here = timeline_.cores[place_.core];
  const auto before = std::find_if(
      here.blocks.rbegin(), here.blocks.rend(),
      [&](const TimelineBlock& b) { return b.end <= block.start && b.start < block.start; });
  if (before == here.blocks.rend()) return look(Look::kNowhere, place_);
  Place last{place_.core, Pipe::S, static_cast<std::size_t>(here.blocks.rend() - before) - 1};
  Cycle end = before->end;
  for (std::uint32_t core = 0; core < timeline_.cores.size(); ++core) {
    const TimelineCore& track = timeline_.cores[core];
    if (track.ai_core != here.ai_core) continue;
    for (std::size_t i = 0; i < track.blocks.size(); ++i) {
      if (track.blocks[i].block != before->block || track.blocks[i].end < end) continue;
      if (track.blocks[i].end > block.start) continue;
      if (track.blocks[i].end == end && !comes_before(core, last.core)) continue;
      end = track.blocks[i].end;
      last = {core, Pipe::S, i};
    }
  }
  explain(place_, CycleClass::kLaunch, 0, 0, end);
  look(Look::kEndOfBlock, last);
}

void PathFinder::end_of_block() {
  const std::uint32_t core = place_.core;
  const TimelineBlock& block = timeline_.cores[core].blocks[place_.index];
  const std::optional<Place> last = last_ended(core, at_);
  if (last && event(*last).end > block.issued) return look(Look::kEndOf, *last);
  look_at_scalar(core, timeline_.cores[core].of(Pipe::S).size());
}

std::optional<Place> PathFinder::last_ended(std::uint32_t core, Pipe pipe, Cycle at) const {
  const auto& events = timeline_.cores[core].of(pipe);
  const auto after = std::partition_point(events.begin(), events.end(),
                                          [&](const TimelineEvent& e) { return e.start <= at; });
  std::optional<Place> last;
  auto i = static_cast<std::size_t>(after - events.begin());
  for (std::size_t seen = 0; i > 0 && seen < kMostInFlight; ++seen) {
    --i;
    if (events[i].end > at || (last && event(*last).end >= events[i].end)) continue;
    last = Place{core, pipe, i};
  }
  return last;
}

std::optional<Place> PathFinder::last_ended(std::uint32_t core, Cycle at) const {
  std::optional<Place> last;
  for (std::size_t p = 0; p < isa::kPipeCount; ++p) {
    if (static_cast<Pipe>(p) == Pipe::S) continue;
    const std::optional<Place> of_pipe = last_ended(core, static_cast<Pipe>(p), at);
    if (of_pipe && (!last || event(*of_pipe).end > event(*last).end)) last = of_pipe;
  }
  return last;
}

void PathFinder::explain(const Place& place, CycleClass cycle_class, std::uint32_t name,
                         std::uint32_t line, Cycle begin) {
  begin = std::max(begin, timeline_.start);
  if (begin >= at_) return;
  steps_.push_back({place.core, place.pipe, cycle_class, name, line, begin, at_});
  at_ = begin;
}

void PathFinder::explain_work(const Place& place, Cycle begin) {
  const TimelineEvent& e = event(place);
  if (begin >= at_) return;
  if (e.stalled > 0 && e.end > e.start) {
    // The later part of a move is what waits for memory.
    const double share = static_cast<double>(e.stalled) / static_cast<double>(e.end - e.start);
    const auto stall = static_cast<Cycle>(static_cast<double>(at_ - begin) * std::min(1.0, share));
    explain(place, e.stall_class, e.name, e.line, at_ - stall);
  }
  explain(place, CycleClass::kBusy, e.name, e.line, begin);
}

}  // namespace

std::vector<PathStep> critical_path(const Timeline& timeline) {
  return PathFinder(timeline).find();
}

}  // namespace davsim::traces
