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
  std::uint32_t place_ = 0;        ///< in the queue, while it wants a call
};

/// The arbiters that want a call, the next one first: a binary heap in which each of them has one
/// place, that moves up when the arbiter asks for an earlier call. A device of many dies has an
/// arbiter for each of them, of which few have a turn in a cycle.
class TurnQueue {
 public:
  bool empty() const { return arbiters_.empty(); }
  Arbiter& first() const { return *arbiters_.front(); }
  /// The unit of the first call, or kNever.
  std::uint64_t unit() const { return empty() ? kNever : first().wanted_; }
  /// `unit` is before the one that the arbiter wanted until now.
  void want(Arbiter& arbiter, std::uint64_t unit);
  void pop();  ///< the first arbiter wants no call any more
  void clear();

 private:
  static bool before(const Arbiter& a, const Arbiter& b) {
    return a.wanted_ != b.wanted_ ? a.wanted_ < b.wanted_ : a.number_ < b.number_;
  }
  void put(Arbiter& arbiter, std::uint32_t place);

  std::vector<Arbiter*> arbiters_;
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
