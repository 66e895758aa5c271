#include "memory/cycle_clock.hpp"

#include <algorithm>

namespace davsim::memory {

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
  arbiter.wanted_ = unit;
  if (arbitration_ <= unit) return;
  arbitration_ = unit;
  if (!running_) arm();
}

void CycleClock::add(Arbiter& arbiter) {
  if (arbiter.known_) return;
  arbiter.known_ = true;
  arbiters_.push_back(&arbiter);
}

void CycleClock::stop_before(Cycle cycle) {
  horizon_ = cycle == kNever ? kNever : cycle * kUnitsPerCycle;
  arm();
}

void CycleClock::clear() {
  alarms_ = {};
  for (Arbiter* arbiter : arbiters_) arbiter->wanted_ = kNever;
  arbitration_ = kNever;
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
    if (alarm.still_wanted()) alarm.client->step();
  }
}

void CycleClock::arbitrate(std::uint64_t now) {
  if (arbitration_ > now) return;
  arbitration_ = kNever;
  for (Arbiter* arbiter : arbiters_) {
    if (arbiter->wanted_ > now) continue;
    arbiter->wanted_ = kNever;
    arbiter->arbitrate();
  }
  for (const Arbiter* arbiter : arbiters_) arbitration_ = std::min(arbitration_, arbiter->wanted_);
}

/// The next unit with a call. A client that has since asked for an earlier cycle has left its later
/// alarm in the queue; such alarms are dropped.
std::uint64_t CycleClock::next_unit() {
  while (!alarms_.empty() && !alarms_.top().still_wanted()) alarms_.pop();
  const std::uint64_t first = alarms_.empty() ? kNever : alarms_.top().cycle * kUnitsPerCycle;
  return std::min(first, arbitration_);
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
