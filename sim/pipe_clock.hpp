// Wakes the pipes of a device, each at the cycle it asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <systemc>
#include <vector>

#include "traces/counters.hpp"

namespace davsim::sim {

using traces::Cycle;

class Pipe;

/// One SystemC event for all pipes. With an event each, SystemC's queue of timed notifications
/// holds hundreds of them, and keeping it in order was what a simulation did most.
class PipeClock : public sc_core::sc_module {
 public:
  explicit PipeClock(sc_core::sc_module_name name);

  /// Steps `pipe` at `cycle`, the present one or a later one, if that is still when it wants to be
  /// woken. Pipes of the same cycle are stepped in no particular order.
  void step_at(Pipe& pipe, Cycle cycle);
  void clear();  ///< forgets all alarms

 private:
  struct Alarm {
    Cycle cycle;
    Pipe* pipe;
    bool still_wanted() const;
    bool operator>(const Alarm& other) const { return cycle > other.cycle; }
  };

  void ring();  ///< woken at the cycle of the first alarm
  void arm();

  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
  sc_core::sc_event due_;
  Cycle armed_for_;
  bool ringing_ = false;
};

}  // namespace davsim::sim
