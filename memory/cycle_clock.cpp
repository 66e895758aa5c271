#include "memory/cycle_clock.hpp"

#include <algorithm>

namespace davsim::memory {
namespace {

/// Asks the host for the first lines of an object that is needed soon.
void prefetch(const void* object) {
  constexpr std::ptrdiff_t kLine = 64, kLines = 2;
  for (std::ptrdiff_t line = 0; line < kLines; ++line) {
    __builtin_prefetch(static_cast<const char*>(object) + line * kLine);
  }
}

}  // namespace

void TurnQueue::want(Arbiter& arbiter, std::uint64_t unit) {
  if (arbiter.wanted_ == kNever) {
    arbiter.place_ = static_cast<std::uint32_t>(arbiters_.size());
    arbiters_.push_back(&arbiter);
  }
  arbiter.wanted_ = unit;
  std::uint32_t place = arbiter.place_;
  for (; place > 0; place = (place - 1) / 2) {
    Arbiter& parent = *arbiters_[(place - 1) / 2];
    if (!before(arbiter, parent)) break;
    put(parent, place);
  }
  put(arbiter, place);
}

void TurnQueue::pop() {
  first().wanted_ = kNever;
  Arbiter& last = *arbiters_.back();
  arbiters_.pop_back();
  if (empty()) return;
  const auto size = static_cast<std::uint32_t>(arbiters_.size());
  std::uint32_t place = 0;
  for (std::uint32_t child = 1; child < size; child = 2 * place + 1) {
    if (child + 1 < size && before(*arbiters_[child + 1], *arbiters_[child])) ++child;
    if (!before(*arbiters_[child], last)) break;
    put(*arbiters_[child], place);
    place = child;
  }
  put(last, place);
}

void TurnQueue::clear() {
  for (Arbiter* arbiter : arbiters_) arbiter->wanted_ = kNever;
  arbiters_.clear();
}

void TurnQueue::put(Arbiter& arbiter, std::uint32_t place) {
  arbiters_[place] = &arbiter;
  arbiter.place_ = place;
}

CycleClock::CycleClock(sc_core::sc_module_name name) : sc_module(name) {
  SC_HAS_PROCESS(CycleClock);
  SC_METHOD(run);
  sensitive << due_;
  dont_initialize();
}

void CycleClock::step_at(Clocked& client, Cycle cycle) {
  alarms_.push({cycle, &client});
  if (!running_) arm();
}

void CycleClock::arbitrate_at(Arbiter& arbiter, Cycle cycle) {
  const std::uint64_t unit = std::max(cycle * kUnitsPerCycle + 1, LocalTime::now() + 1);
  if (arbiter.wanted_ <= unit) return;
  add(arbiter);
  turns_.want(arbiter, unit);
  if (!running_) arm();
}

void CycleClock::add(Arbiter& arbiter) {
  if (arbiter.number_ == 0) arbiter.number_ = ++arbiters_;
}

void CycleClock::stop_before(Cycle cycle) {
  horizon_ = cycle == kNever ? kNever : cycle * kUnitsPerCycle;
  arm();
}

void CycleClock::clear() {
  alarms_ = {};
  turns_.clear();
  due_.cancel();
  armed_for_ = kNever;
}

void CycleClock::run() {
  armed_for_ = kNever;
  running_ = true;
  for (;;) {
    const std::uint64_t now = LocalTime::now();
    step_clients(now / kUnitsPerCycle);
    arbitrate(now);
    const std::uint64_t next = next_unit();
    if (!may_go_on_to(next)) break;
    LocalTime::reached_ = next;
  }
  running_ = false;
  arm();
}

void CycleClock::step_clients(Cycle now) {
  while (!alarms_.empty() && alarms_.top().cycle <= now) {
    const Alarm alarm = alarms_.top();
    alarms_.pop();
    // Clients of many dies are not in the host's caches. The next one comes while this one works.
    if (!alarms_.empty()) prefetch(alarms_.top().client);
    if (alarm.still_wanted()) alarm.client->step();
  }
}

void CycleClock::arbitrate(std::uint64_t now) {
  // What an arbiter asks for meanwhile comes later than `now`.
  while (turns_.unit() <= now) {
    Arbiter& arbiter = turns_.first();
    turns_.pop();
    arbiter.arbitrate();
  }
}

/// The next unit with a call. A client that has since asked for an earlier cycle has left its later
/// alarm in the queue; such alarms are dropped.
std::uint64_t CycleClock::next_unit() {
  while (!alarms_.empty() && !alarms_.top().still_wanted()) alarms_.pop();
  const std::uint64_t first = alarms_.empty() ? kNever : alarms_.top().cycle * kUnitsPerCycle;
  return std::min(first, turns_.unit());
}

/// Whether SystemC has no other event up to and including `unit`.
bool CycleClock::may_go_on_to(std::uint64_t unit) const {
  if (unit >= horizon_) return false;
  return sc_core::sc_time_to_pending_activity() > until_unit(unit);
}

void CycleClock::arm() {
  const std::uint64_t next = next_unit();
  if (next >= armed_for_) return;
  armed_for_ = next;
  if (next > LocalTime::now()) {
    due_.notify(until_unit(next));
  } else {
    due_.notify(sc_core::SC_ZERO_TIME);
  }
}

}  // namespace davsim::memory
