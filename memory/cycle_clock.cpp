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

std::uint64_t TurnQueue::unit() {
  // An arbiter that has since asked for an earlier call has left its later one.
  while (!turns_.empty() && turns_.top().arbiter->wanted_ != turns_.top().unit) turns_.pop();
  return turns_.empty() ? kNever : turns_.top().unit;
}

void TurnQueue::want(Arbiter& arbiter, std::uint64_t unit) {
  arbiter.wanted_ = unit;
  turns_.push({unit, arbiter.number_, &arbiter});
}

Arbiter& TurnQueue::take() {
  Arbiter& first = *turns_.top().arbiter;
  first.wanted_ = kNever;
  turns_.pop();
  if (!turns_.empty()) prefetch(turns_.top().arbiter);
  return first;
}

void TurnQueue::clear() {
  for (; !turns_.empty(); turns_.pop()) turns_.top().arbiter->wanted_ = kNever;
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
  while (turns_.unit() <= now) turns_.take().arbitrate();
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
