#include "runtime/core/timeline.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace davsim::runtime {
namespace {

/// Works that may wait for their time to be asked for. Beyond them the clock goes on, so that a
/// program which never asks needs bounded memory.
constexpr std::size_t kMostWaiting = 1024;

/// What rounding leaves of a duration.
constexpr Microseconds kRounding = 1e-9;

}  // namespace

Timeline::Timeline(std::uint32_t dies, std::uint32_t aics, std::uint32_t aivs_per_aic)
    : dies_(dies),
      aics_(aics),
      aivs_per_aic_(aivs_per_aic),
      busy_(std::size_t{dies} * aics * (1 + aivs_per_aic), false) {}

void Timeline::add(std::vector<MomentPtr> after, Demand demand, const MomentPtr& end) {
  const std::lock_guard lock(mutex_);
  std::erase(after, nullptr);
  if (!demand.blocks.empty()) {
    const std::size_t places = demand.blocks.front().cube ? aics_ : aics_ * aivs_per_aic_;
    if (demand.blocks.size() > places) demand.blocks.resize(places);
  }
  waiting_.push_back({std::move(after), std::move(demand), end});
  if (waiting_.size() <= kMostWaiting) return;
  while (waiting_.size() > kMostWaiting / 2 && step()) {
  }
}

void Timeline::add_behind_all(const MomentPtr& end) {
  const std::lock_guard lock(mutex_);
  std::vector<MomentPtr> all;
  for (const Work& work : waiting_) all.push_back(work.end);
  for (const Running& running : running_) all.push_back(running.end);
  waiting_.push_back({std::move(all), Demand{}, end});
}

Microseconds Timeline::at(const Moment& moment) {
  const std::lock_guard lock(mutex_);
  while (!moment.at && step()) {
  }
  return moment.at.value_or(now_);
}

Microseconds Timeline::end() {
  const std::lock_guard lock(mutex_);
  while (step()) {
  }
  return now_;
}

/// Goes on to the next time at which cores become free or a work ends. False if nothing runs.
bool Timeline::step() {
  const std::size_t before = waiting_.size();
  start_what_can();
  if (running_.empty()) return waiting_.size() < before;
  share_rates();
  Microseconds next = std::numeric_limits<Microseconds>::max();
  for (const Running& running : running_) {
    const Demand& demand = running.demand;
    const Microseconds until =
        running.seats.empty() ? demand.duration : demand.blocks[running.seats.size() - 1].end;
    next = std::min(next, (until - running.done) / running.rate);
  }
  next = std::max(next, 0.0);
  now_ += next;
  for (Running& running : running_) {
    running.done += next * running.rate;
    release_ended(running);
    if (running.done + kRounding >= running.demand.duration) running.end->at = now_;
  }
  std::erase_if(running_, [](const Running& running) { return running.end->at.has_value(); });
  return true;
}

void Timeline::release_ended(Running& running) {
  while (!running.seats.empty() &&
         running.demand.blocks[running.seats.size() - 1].end <= running.done + kRounding) {
    for (const std::size_t core : running.seats.back()) busy_[core] = false;
    running.seats.pop_back();
  }
}

void Timeline::start_what_can() {
  // A work that takes no time lets others start that wait for it.
  for (bool again = true; again;) {
    again = false;
    std::vector<Reserved> reserved(dies_);
    for (Work& work : waiting_) {
      if (!start(work, reserved[work.demand.die])) continue;
      again = again || work.end->at.has_value();
      work.end = nullptr;
    }
    std::erase_if(waiting_, [](const Work& work) { return work.end == nullptr; });
  }
}

bool Timeline::start(Work& work, Reserved& reserved) {
  const auto passed = [](const MomentPtr& moment) { return moment->at.has_value(); };
  if (!std::all_of(work.after.begin(), work.after.end(), passed)) return false;
  if (work.demand.duration <= 0) {
    work.end->at = now_;
    return true;
  }
  std::vector<Seat> seats;
  if (!work.demand.blocks.empty()) {
    const BlockDemand& shape = work.demand.blocks.front();
    const bool late = (shape.cube && reserved.cube) || (shape.vectors > 0 && reserved.vector);
    if (!late) seats = free_seats(shape, work.demand.die, work.demand.blocks.size());
    if (seats.size() < work.demand.blocks.size()) {
      reserved.cube = reserved.cube || shape.cube;
      reserved.vector = reserved.vector || shape.vectors > 0;
      return false;
    }
  }
  for (const Seat& seat : seats) {
    for (const std::size_t core : seat) busy_[core] = true;
  }
  work.end->started = now_;
  running_.push_back({std::move(work.demand), std::move(work.end), std::move(seats)});
  work.end = running_.back().end;
  return true;
}

/// Up to `most` places for blocks of this shape.
std::vector<Timeline::Seat> Timeline::free_seats(const BlockDemand& shape, std::uint32_t die,
                                                 std::size_t most) const {
  std::vector<Seat> free;
  const std::size_t cubes = std::size_t{die} * aics_ * (1 + aivs_per_aic_), vectors = cubes + aics_;
  const std::size_t places = shape.cube ? aics_ : std::size_t{aics_} * aivs_per_aic_;
  for (std::size_t i = 0; i < places && free.size() < most; ++i) {
    Seat seat{shape.cube ? cubes + i : vectors + i};
    for (std::uint32_t sub = 0; shape.cube && sub < shape.vectors; ++sub) {
      seat.push_back(vectors + i * aivs_per_aic_ + sub);
    }
    if (std::none_of(seat.begin(), seat.end(), [this](std::size_t core) { return busy_[core]; })) {
      free.push_back(std::move(seat));
    }
  }
  return free;
}

void Timeline::share_rates() {
  for (Running& running : running_) running.rate = 1;
  for (std::uint32_t die = 0; die < dies_; ++die) {
    for (std::size_t what = 0; what < kSharedCount; ++what) share(die, what);
  }
}

/// Works that take more of a rate than there is share it: those that take little get what they
/// take, the others equal parts of the rest.
void Timeline::share(std::uint32_t die, std::size_t what) {
  std::vector<double> uses;
  for (const Running& running : running_) {
    const double use = running.demand.die == die ? running.demand.use[what] : 0;
    if (use > 0) uses.push_back(use);
  }
  std::sort(uses.begin(), uses.end());
  double left = 1, part = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const double equal = left / static_cast<double>(uses.size() - i);
    if (uses[i] > equal) {
      part = equal;
      break;
    }
    left -= uses[i];
  }
  for (Running& running : running_) {
    const double use = running.demand.use[what];
    if (running.demand.die == die && use > part) running.rate = std::min(running.rate, part / use);
  }
}

}  // namespace davsim::runtime
