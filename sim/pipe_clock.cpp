#include "sim/pipe_clock.hpp"

#include "memory/cycle.hpp"
#include "sim/pipe.hpp"

namespace davsim::sim {

/// A pipe that was asked to look earlier leaves its later alarm behind.
bool PipeClock::Alarm::still_wanted() const {
  return pipe->wakes_at() == cycle;
}

PipeClock::PipeClock(sc_core::sc_module_name name) : sc_module(name), armed_for_(kNever) {
  SC_HAS_PROCESS(PipeClock);
  SC_METHOD(ring);
  sensitive << due_;
  dont_initialize();
}

void PipeClock::step_at(Pipe& pipe, Cycle cycle) {
  alarms_.push({cycle, &pipe});
  if (!ringing_) arm();
}

void PipeClock::clear() {
  alarms_ = {};
  due_.cancel();
  armed_for_ = kNever;
}

void PipeClock::ring() {
  armed_for_ = kNever;
  const Cycle now = memory::current_cycle();
  ringing_ = true;
  while (!alarms_.empty() && alarms_.top().cycle <= now) {
    const Alarm alarm = alarms_.top();
    alarms_.pop();
    if (alarm.still_wanted()) alarm.pipe->step();
  }
  ringing_ = false;
  arm();
}

void PipeClock::arm() {
  while (!alarms_.empty() && !alarms_.top().still_wanted()) alarms_.pop();
  if (alarms_.empty() || alarms_.top().cycle >= armed_for_) return;
  armed_for_ = alarms_.top().cycle;
  if (armed_for_ > memory::current_cycle()) {
    due_.notify(memory::until(armed_for_));
  } else {
    due_.notify(sc_core::SC_ZERO_TIME);
  }
}

}  // namespace davsim::sim
