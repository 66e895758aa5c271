#include "runtime/core/die_timeline.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace davsim::runtime {
namespace {

/// What rounding leaves of a duration.
constexpr Microseconds kRounding = 1e-9;

}  // namespace

std::optional<Microseconds> last_of(const std::vector<MomentPtr>& moments) {
  Microseconds last = 0;
  for (const MomentPtr& moment : moments) {
    if (!moment->at) return std::nullopt;
    last = std::max(last, *moment->at);
  }
  return last;
}

DieTimeline::DieTimeline(std::uint32_t aics, std::uint32_t aivs_per_aic)
    : aics_(aics),
      aivs_per_aic_(aivs_per_aic),
      busy_(std::size_t{aics} * (1 + aivs_per_aic), false) {}

void DieTimeline::add(Work work) {
  std::vector<BlockDemand>& blocks = work.demand.blocks;
  if (!blocks.empty()) {
    const std::size_t places = blocks.front().cube ? aics_ : aics_ * aivs_per_aic_;
    if (blocks.size() > places) blocks.resize(places);
  }
  waiting_.push_back(std::move(work));
}

std::optional<Microseconds> DieTimeline::next() {
  start_what_can();
  share_rates();
  constexpr Microseconds kNever = std::numeric_limits<Microseconds>::max();
  Microseconds next = kNever;
  for (const Running& running : running_) {
    const Demand& demand = running.demand;
    const Microseconds until =
        running.seats.empty() ? demand.duration : demand.blocks[running.seats.size() - 1].end;
    next = std::min(next, now_ + std::max((until - running.done) / running.rate, 0.0));
  }
  for (const Work& work : waiting_) {
    const auto ready = last_of(work.after);
    if (ready && *ready > now_) next = std::min(next, *ready);
  }
  if (next == kNever) return std::nullopt;
  return next;
}

void DieTimeline::go_on_to(Microseconds time) {
  const Microseconds passed = time - now_;
  now_ = time;
  for (Running& running : running_) {
    running.done += passed * running.rate;
    release_ended(running);
    if (running.done + kRounding >= running.demand.duration) running.end->at = now_;
  }
  std::erase_if(running_, [](const Running& running) { return running.end->at.has_value(); });
}

void DieTimeline::release_ended(Running& running) {
  while (!running.seats.empty() &&
         running.demand.blocks[running.seats.size() - 1].end <= running.done + kRounding) {
    for (const std::size_t core : running.seats.back()) busy_[core] = false;
    running.seats.pop_back();
  }
}

void DieTimeline::start_what_can() {
  Reserved reserved;
  std::erase_if(waiting_, [&](Work& work) { return start(work, reserved); });
}

bool DieTimeline::start(Work& work, Reserved& reserved) {
  const auto ready = last_of(work.after);
  if (!ready || *ready > now_) return false;
  std::vector<Seat> seats;
  if (!work.demand.blocks.empty()) {
    const BlockDemand& shape = work.demand.blocks.front();
    const bool late = (shape.cube && reserved.cube) || (shape.vectors > 0 && reserved.vector);
    if (!late) seats = free_seats(shape, work.demand.blocks.size());
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
  return true;
}

/// Up to `most` places for blocks of this shape.
std::vector<DieTimeline::Seat> DieTimeline::free_seats(const BlockDemand& shape,
                                                       std::size_t most) const {
  std::vector<Seat> free;
  const std::size_t vectors = aics_;
  const std::size_t places = shape.cube ? aics_ : std::size_t{aics_} * aivs_per_aic_;
  for (std::size_t i = 0; i < places && free.size() < most; ++i) {
    Seat seat{shape.cube ? i : vectors + i};
    for (std::uint32_t sub = 0; shape.cube && sub < shape.vectors; ++sub) {
      seat.push_back(vectors + i * aivs_per_aic_ + sub);
    }
    if (std::none_of(seat.begin(), seat.end(), [this](std::size_t core) { return busy_[core]; })) {
      free.push_back(std::move(seat));
    }
  }
  return free;
}

void DieTimeline::share_rates() {
  for (Running& running : running_) running.rate = 1;
  for (std::size_t what = 0; what < kSharedCount; ++what) share(what);
}

/// Works that take more of a rate than there is share it: those that take little get what they
/// take, the others equal parts of the rest.
void DieTimeline::share(std::size_t what) {
  std::vector<double> uses;
  for (const Running& running : running_) {
    if (running.demand.use[what] > 0) uses.push_back(running.demand.use[what]);
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
    if (use > part) running.rate = std::min(running.rate, part / use);
  }
}

}  // namespace davsim::runtime
