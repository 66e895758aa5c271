#include "runtime/core/timeline.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace davsim::runtime {
namespace {

/// Works that may wait for their time to be asked for. Beyond them the clocks go on, so that a
/// program which never asks needs bounded memory.
constexpr std::size_t kMostWaiting = 1024;

}  // namespace

Timeline::Timeline(std::uint32_t dies, std::uint32_t aics, std::uint32_t aivs_per_aic)
    : dies_(dies, DieTimeline(aics, aivs_per_aic)), passed_(dies, 0) {}

void Timeline::add(std::vector<MomentPtr> after, Demand demand, const MomentPtr& end) {
  const std::lock_guard lock(mutex_);
  if (!demand.takes_some()) {
    return add_passing({std::move(after), 0, demand.duration, demand.die, end});
  }
  std::erase(after, nullptr);
  DieTimeline& die = dies_.at(demand.die);
  die.add({std::move(after), std::move(demand), end});
  bound_waiting();
}

void Timeline::join(std::vector<MomentPtr> after, const MomentPtr& end) {
  const std::lock_guard lock(mutex_);
  add_passing({std::move(after), 0, 0, std::nullopt, end});
}

void Timeline::join_all(std::optional<std::uint32_t> die, const MomentPtr& end) {
  const std::lock_guard lock(mutex_);
  Passing all;
  all.end = end;
  for (const std::uint32_t one : die ? Dies{*die} : all_dies()) {
    dies_[one].for_each_end([&](const MomentPtr& moment) { all.after.push_back(moment); });
    all.not_before = std::max({all.not_before, dies_[one].now(), passed_[one]});
  }
  for (const Passing& passing : passing_) {
    if (!die || passing.die == die) all.after.push_back(passing.end);
  }
  add_passing(std::move(all));
}

void Timeline::add_passing(Passing passing) {
  std::erase(passing.after, nullptr);
  passing_.push_back(std::move(passing));
  bound_waiting();
}

void Timeline::bound_waiting() {
  const auto waiting = [this] {
    return std::accumulate(
        dies_.begin(), dies_.end(), passing_.size(),
        [](std::size_t sum, const DieTimeline& die) { return sum + die.waiting().size(); });
  };
  if (waiting() <= kMostWaiting) return;
  pass_what_can();
  while (waiting() > kMostWaiting / 2 && step(all_dies())) {
  }
}

Timeline::Dies Timeline::all_dies() const {
  Dies all(dies_.size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

Microseconds Timeline::at(const Moment& moment) {
  const std::lock_guard lock(mutex_);
  pass_what_can();
  if (!moment.at) {
    const Dies dies = dies_before(moment);
    while (!moment.at && step(dies)) {
    }
  }
  return moment.at.value_or(now());
}

Microseconds Timeline::end() {
  const std::lock_guard lock(mutex_);
  pass_what_can();
  while (step(all_dies())) {
  }
  return now();
}

/// The latest time that is known of anything.
Microseconds Timeline::now() const {
  Microseconds latest = 0;
  for (std::size_t die = 0; die < dies_.size(); ++die) {
    latest = std::max({latest, dies_[die].now(), passed_[die]});
  }
  return latest;
}

/// The dies whose works may decide when the moment passes: that of its work, and with a die those
/// that the works which wait for it depend on.
Timeline::Dies Timeline::dies_before(const Moment& moment) const {
  if (dies_.size() == 1) return {0};
  std::unordered_map<const Moment*, std::uint32_t> die_of;
  for (std::uint32_t die = 0; die < dies_.size(); ++die) {
    dies_[die].for_each_end([&](const MomentPtr& end) { die_of[end.get()] = die; });
  }
  std::unordered_map<const Moment*, const Passing*> passing_of;
  for (const Passing& passing : passing_) passing_of[passing.end.get()] = &passing;

  std::vector<bool> needed(dies_.size(), false);
  std::vector<const Moment*> open{&moment};
  const auto look_behind = [&](const std::vector<MomentPtr>& after) {
    for (const MomentPtr& before : after) {
      if (!before->at) open.push_back(before.get());
    }
  };
  while (!open.empty()) {
    const Moment* const one = open.back();
    open.pop_back();
    if (const auto passing = passing_of.find(one); passing != passing_of.end()) {
      look_behind(passing->second->after);
      passing_of.erase(passing);
    } else if (const auto die = die_of.find(one); die != die_of.end() && !needed[die->second]) {
      needed[die->second] = true;
      for (const DieTimeline::Work& work : dies_[die->second].waiting()) look_behind(work.after);
    }
  }
  Dies dies;
  for (std::uint32_t die = 0; die < dies_.size(); ++die) {
    if (needed[die]) dies.push_back(die);
  }
  return dies;
}

/// Lets the die go on at which something happens first. False if nothing happens at any.
bool Timeline::step(const Dies& dies) {
  DieTimeline* first = nullptr;
  Microseconds at = 0;
  for (const std::uint32_t die : dies) {
    const auto next = dies_[die].next();
    if (!next || (first != nullptr && *next >= at)) continue;
    first = &dies_[die];
    at = *next;
  }
  if (first == nullptr) return false;
  first->go_on_to(at);
  pass_what_can();
  return true;
}

void Timeline::pass_what_can() {
  // One that passes lets others pass that wait for it.
  for (bool again = true; again;) {
    const std::size_t before = passing_.size();
    std::erase_if(passing_, [this](Passing& passing) { return pass(passing); });
    again = passing_.size() < before;
  }
}

bool Timeline::pass(Passing& passing) {
  const auto ready = last_of(passing.after);
  if (!ready) return false;
  const Microseconds start = std::max(*ready, passing.not_before);
  if (passing.duration > 0) passing.end->started = start;
  passing.end->at = start + passing.duration;
  if (passing.die) passed_.at(*passing.die) = std::max(passed_[*passing.die], *passing.end->at);
  return true;
}

}  // namespace davsim::runtime
