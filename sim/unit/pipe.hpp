// An instruction queue and the unit behind it. Instructions start in order, one after the other;
// a later one may start before an earlier one has ended where the unit's model says so. Waits and
// barriers hold back what is behind them; sets do not, and take effect when all before them ended.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>

#include "isa/instr/fault.hpp"
#include "isa/instr/instr.hpp"
#include "memory/cycle_clock.hpp"
#include "observe/counters.hpp"
#include "observe/cycle_account.hpp"

namespace davsim::sim {

using memory::kNever;
using observe::Cycle;

/// Cycles in which a unit had work in flight and got no further.
struct Stall {
  observe::CycleClass cause = observe::CycleClass::kMemory;
  Cycle cycles = 0;
};

/// An instruction on its way through a pipe.
struct QueueEntry {
  isa::Instr instr;
  Cycle dispatched = 0;
  Cycle start = 0;
  Cycle done = kNever;
  Cycle blocked_since = kNever;  ///< when it reached the head of the queue and could not go on
  observe::CycleClass blocked_by = observe::CycleClass::kQueueEmpty;
  std::uint64_t flow = 0;
  isa::SourceLocation set_at;  ///< of a wait that has passed: where its flag was set
  Cycle bank_conflicts = 0;    ///< cycles of its time that it loses to them
  std::uint64_t lanes = 0;     ///< that a vector instruction which has begun computes
  Stall stall;                 ///< of its time, once it has ended
  Cycle stall_counted = 0;     ///< of that, in cycles in which no earlier one was in flight
  bool applied = false;        ///< its functional meaning has taken effect
};

class Pipe;

/// When instructions of a unit start and end. Strategy object of a pipe.
class UnitModel {
 public:
  virtual ~UnitModel() = default;
  /// Tells the model, once, which pipe it stands behind, if it wakes that by itself.
  virtual void connect(Pipe* pipe) { static_cast<void>(pipe); }
  /// True if something holds the entry back at `now` although its turn has come. `retry`: when to
  /// ask again; kNever if the model will wake the pipe.
  virtual bool blocked(const QueueEntry& entry, Cycle now, Cycle& retry) {
    static_cast<void>(entry), static_cast<void>(now), static_cast<void>(retry);
    return false;
  }
  /// Begins `entry` at `now` and sets entry.done, unless that is known only later (moves).
  /// Returns the cycle from which the next instruction may start; kNever if known only later.
  virtual Cycle start(QueueEntry& entry, Cycle now) = 0;
  /// Carries on with work begun earlier; returns when it wants to be called again (kNever: not by
  /// itself). `next_issue` is updated once the next instruction may start.
  virtual Cycle advance(Cycle now, Cycle& next_issue) {
    static_cast<void>(now), static_cast<void>(next_issue);
    return kNever;
  }
  /// For how much of [from, entry.done) `entry` was stalled, and by what. `from` lies within its
  /// time. The entry has ended; entries are asked for in their order.
  virtual Stall stall(const QueueEntry& entry, Cycle from) {
    static_cast<void>(entry), static_cast<void>(from);
    return {};
  }
  virtual void reset() {}
};

/// What a pipe needs of its core.
class PipeHost {
 public:
  virtual ~PipeHost() = default;
  /// An instruction started; a wait or a barrier let the pipe go on; a set's place was reached.
  virtual void issued(const QueueEntry& entry) = 0;
  /// Applies the functional meaning, counts and reports an instruction that has ended; flags are
  /// set here.
  virtual void retired(Pipe& pipe, QueueEntry& entry) = 0;
  /// Tries to pass a wait for a flag or a cross-core flag at `now`. False: stays; `retry` says when
  /// to look again by itself (kNever: somebody will wake the pipe).
  virtual bool try_wait(QueueEntry& entry, Cycle now, Cycle& retry) = 0;
  virtual void space_in(Pipe& pipe) = 0;  ///< there is room for another entry
  virtual void drained(Pipe& pipe) = 0;   ///< nothing is queued or in flight any more
  virtual void fault_in(Pipe& pipe, const QueueEntry& entry, const isa::Fault& fault) = 0;
};

class Pipe : public sc_core::sc_module, public memory::Clocked {
 public:
  Pipe(sc_core::sc_module_name name, isa::Pipe id, std::uint32_t depth, PipeHost& host,
       memory::CycleClock& clock, std::unique_ptr<UnitModel> model);

  isa::Pipe id() const { return id_; }
  bool full() const { return tail_ - issue_ >= depth_ || tail_ - head_ >= kSlots; }
  bool idle() const { return head_ == tail_; }

  /// Queues an instruction that left the scalar unit at `dispatched` (now or later).
  /// Must not be called on a full pipe.
  void push(const isa::Instr& instr, Cycle dispatched);
  void wake_at(Cycle cycle);
  void step() override;  ///< called at the earliest cycle at which anything here can change
  UnitModel& model() { return *model_; }

  void begin_launch(Cycle now, bool by_line);
  /// The core is given a block at `given` that begins at `start`.
  void begin_block(Cycle given, Cycle start);
  void abort();  ///< drops everything
  /// Of the launch, which ends at `now`.
  observe::PipeCounters counters(Cycle now);

  template <class Visit>
  void for_each_in_flight(Visit visit) {
    for (std::uint64_t i = head_; i != issue_; ++i) visit(slot(i));
  }
  template <class Predicate>
  bool any_queued(Predicate predicate) const {
    for (std::uint64_t i = issue_; i != tail_; ++i) {
      if (predicate(slot(i))) return true;
    }
    return false;
  }
  bool nothing_in_flight() const { return head_ == issue_; }
  /// Entry that keeps the pipe from going on, for deadlock reports; nullptr if none.
  const QueueEntry* stuck() const { return issue_ != tail_ ? &slot(issue_) : nullptr; }

 private:
  static constexpr std::uint64_t kSlots = 64;

  bool retire(Cycle now);
  bool issue(Cycle now, Cycle& next);
  bool issue_sync(QueueEntry& entry, Cycle now, Cycle& next);
  void block(QueueEntry& entry, Cycle now, observe::CycleClass by);
  void account(QueueEntry& entry);
  void account_work(QueueEntry& entry);

  QueueEntry& slot(std::uint64_t index) { return slots_[index % kSlots]; }
  const QueueEntry& slot(std::uint64_t index) const { return slots_[index % kSlots]; }

  isa::Pipe id_;
  std::uint32_t depth_;
  PipeHost& host_;
  memory::CycleClock& clock_;
  std::unique_ptr<UnitModel> model_;

  std::array<QueueEntry, kSlots> slots_;
  /// head_ <= issue_ <= tail_: [head_, issue_) is in flight, [issue_, tail_) is queued.
  std::uint64_t head_ = 0, issue_ = 0, tail_ = 0;
  Cycle next_issue_ = 0;

  std::uint64_t instructions_ = 0;
  Cycle in_flight_ = 0;
  observe::CycleAccount account_;
};

}  // namespace davsim::sim
