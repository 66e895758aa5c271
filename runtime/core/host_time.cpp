// The host's threads on the clock: what a thread has waited for, what its copies take, and what
// time it is for it.
#include <utility>

#include "runtime/core/simulator.hpp"

namespace davsim::runtime {
namespace {

/// What the calling thread has waited for. Work that it queues starts behind that.
thread_local MomentPtr t_waited_for;

}  // namespace

const MomentPtr& Simulator::host_waited_until() {
  return t_waited_for;
}

Demand Simulator::copy_demand(Direction direction, std::uint64_t bytes) const {
  return device_->mode() == sim::Mode::kTimed ? rates_->copy(direction, bytes) : Demand{};
}

Demand Simulator::copy_demand(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const {
  if (from == to) return copy_demand(Direction::kWithin, bytes);
  if (device_->mode() != sim::Mode::kTimed) return {};
  return rates_->copy(device_->communicators()->system().link(from, to), bytes);
}

/// The timeline hears of works in the order of the host's calls, so that runs are alike.
void Simulator::host_works(std::uint32_t die, std::function<Demand()> work) {
  auto end = std::make_shared<Moment>();
  queue_.push([this, die, work = std::move(work), before = std::exchange(t_waited_for, end), end] {
    Demand demand = work();
    demand.die = die;
    timeline_->add({before}, std::move(demand), end);
  });
}

void Simulator::host_waited(MomentPtr moment) {
  if (moment == nullptr || moment == t_waited_for) return;
  if (t_waited_for == nullptr) {
    t_waited_for = std::move(moment);
    return;
  }
  auto both = std::make_shared<Moment>();
  queue_.push([this, moment = std::move(moment), before = std::exchange(t_waited_for, both), both] {
    timeline_->join({before, moment}, both);
  });
}

void Simulator::host_waited_for_all(std::optional<std::uint32_t> die) {
  auto all = std::make_shared<Moment>();
  queue_.push([this, die, all] { timeline_->join_all(die, all); });
  host_waited(std::move(all));
}

Microseconds Simulator::time_of(const Recording& recording) {
  queue_.wait_unless_held(queue_.last());
  host_waited(recording.at);
  return timeline_->at(*recording.at);
}

Microseconds Simulator::time_of_host() {
  if (t_waited_for == nullptr) return 0;
  Recording recording;
  recording.at = t_waited_for;
  return time_of(recording);
}

}  // namespace davsim::runtime
