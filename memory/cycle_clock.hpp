// The clock. It calls pipes and shared resources at the cycles that they ask for.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <systemc>
#include <vector>

#include "memory/cycle.hpp"

namespace davsim::memory {

/// A client that the clock calls in the first half of a cycle.
class Clocked {
 public:
  /// The cycle that the client asked for last. Earlier requests are void.
  Cycle wakes_at() const { return wakes_at_; }
  virtual void step() = 0;

 protected:
  ~Clocked() = default;
  Cycle wakes_at_ = kNever;
};

/// A client that the clock calls in the second half of a cycle.
class Arbiter {
 public:
  virtual void arbitrate() = 0;

 protected:
  ~Arbiter() = default;

 private:
  friend class CycleClock;
  friend class TurnQueue;
  std::uint64_t wanted_ = kNever;  ///< the unit of its next call
  std::uint32_t number_ = 0;       ///< in the order of add(), from 1 on; 0: the clock lacks it
};

/// The arbiters that want a call, the next one first. A device of many dies has an arbiter for each
/// of them, of which few have a turn in a cycle. The queue keeps what it sorts by, because the
/// arbiters themselves are not in the host's caches.
class TurnQueue {
 public:
  /// The unit of the first call, or kNever.
  std::uint64_t unit();
  /// `unit` is before the one that the arbiter wanted until now, which no longer holds.
  void want(Arbiter& arbiter, std::uint64_t unit);
  /// The arbiter of the first call, which wants none any more. Behind unit().
  Arbiter& take();
  void clear();

 private:
  struct Turn {
    std::uint64_t unit;
    std::uint32_t number;
    Arbiter* arbiter;
    bool operator>(const Turn& other) const {
      return unit != other.unit ? unit > other.unit : number > other.number;
    }
  };
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
};

/// One SystemC process for all pipes and the memory system. With a process for each of them,
/// SystemC's queue of timed notifications would hold hundreds of entries. A simulation would spend
/// most of its time on keeping that queue in order.
///
/// The clock advances from cycle to cycle without SystemC while no other event is due (TLM calls
/// this temporal decoupling). LocalTime is then ahead of SystemC's time.
class CycleClock : public sc_core::sc_module {
 public:
  explicit CycleClock(sc_core::sc_module_name name);

  /// Steps `client` at `cycle`, which is the present cycle or a later one, unless its wakes_at()
  /// has changed by then. The order of the clients of one cycle is not specified.
  void step_at(Clocked& client, Cycle cycle);
  /// Calls `arbiter` in the second half of `cycle`. If that is over, calls it half a cycle from
  /// now. The earliest cycle that an arbiter asked for counts. Arbiters of one cycle are called in
  /// the order in which add(), or else their first call, made them known.
  void arbitrate_at(Arbiter& arbiter, Cycle cycle);
  void add(Arbiter& arbiter);
  /// The clock calls nothing from `cycle` on, until the next call of stop_before().
  void stop_before(Cycle cycle);
  void clear();  ///< drops all requests to be called

 private:
  struct Alarm {
    Cycle cycle;
    Clocked* client;
    bool still_wanted() const { return client->wakes_at() == cycle; }
    bool operator>(const Alarm& other) const { return cycle > other.cycle; }
  };

  void run();  ///< the process, woken at the next unit with a call
  void step_clients(Cycle now);
  void arbitrate(std::uint64_t now);
  std::uint64_t next_unit();
  bool may_go_on_to(std::uint64_t unit) const;
  void arm();

  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
  TurnQueue turns_;
  std::uint32_t arbiters_ = 0;      ///< known by add()
  std::uint64_t horizon_ = kNever;  ///< the unit of stop_before()
  sc_core::sc_event due_;
  std::uint64_t armed_for_ = kNever;  ///< the unit for which `due_` is notified
  bool running_ = false;
};

}  // namespace davsim::memory
