// The clock: calls pipes and shared resources at the cycles that they asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <systemc>
#include <vector>

#include "memory/cycle.hpp"

namespace davsim::memory {

/// What the clock calls in the first half of a cycle.
class Clocked {
 public:
  /// The cycle it wants to be called at now; what it asked for before no longer holds.
  Cycle wakes_at() const { return wakes_at_; }
  virtual void step() = 0;

 protected:
  ~Clocked() = default;
  Cycle wakes_at_ = kNever;
};

/// What the clock calls in the second half of a cycle.
class Arbiter {
 public:
  virtual void arbitrate() = 0;

 protected:
  ~Arbiter() = default;
};

/// One SystemC process for all pipes and the memory system. With a process for each, SystemC's
/// queue of timed notifications would hold hundreds of entries, and a simulation would spend most
/// of its time on keeping it in order.
///
/// The clock advances from cycle to cycle without SystemC while no other event is due (TLM calls
/// this temporal decoupling). LocalTime is then ahead of SystemC's time.
class CycleClock : public sc_core::sc_module {
 public:
  explicit CycleClock(sc_core::sc_module_name name);

  /// Steps `client` at `cycle`, the present one or a later one, if that is still when it wants to
  /// be woken. Clients of the same cycle are stepped in no particular order.
  void step_at(Clocked& client, Cycle cycle);
  /// Lets `arbiter` arbitrate in the second half of `cycle`, or half a cycle from now if that is
  /// over. One at a time; the earliest cycle asked for holds.
  void arbitrate_at(Arbiter& arbiter, Cycle cycle);
  /// Nothing happens from `cycle` on, until this is called again.
  void stop_before(Cycle cycle);
  void clear();  ///< forgets who wants to be called

 private:
  struct Alarm {
    Cycle cycle;
    Clocked* client;
    bool still_wanted() const { return client->wakes_at() == cycle; }
    bool operator>(const Alarm& other) const { return cycle > other.cycle; }
  };

  void run();  ///< woken when the first is due
  void step_clients(Cycle now);
  void arbitrate(std::uint64_t now);
  std::uint64_t next_unit();
  bool may_go_on_to(std::uint64_t unit) const;
  void arm();

  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
  Arbiter* arbiter_ = nullptr;
  std::uint64_t arbitration_ = kNever;  ///< unit at which it is due
  std::uint64_t horizon_ = kNever;      ///< in units
  sc_core::sc_event due_;
  std::uint64_t armed_for_ = kNever;  ///< unit for which `due_` is notified
  bool running_ = false;
};

}  // namespace davsim::memory
