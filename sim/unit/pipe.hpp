// An instruction queue and the unit behind it. Instructions start in order. Where the unit's model
// says so, an instruction may start before an earlier one has ended. Waits and barriers stall the
// instructions behind them. Sets do not. A set takes effect when all instructions before it have
// ended.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>

#include "isa/instr/decoded_instr.hpp"
#include "isa/instr/fault.hpp"
#include "memory/cycle_clock.hpp"
#include "memory/remote_values.hpp"
#include "observe/counters.hpp"
#include "observe/cycle_account.hpp"

namespace davsim::sim {

using memory::kNever;
using observe::Cycle;

/// The cycles in which an instruction was in flight and its unit was stalled.
struct Stall {
  observe::CycleClass cause = observe::CycleClass::kMemory;
  Cycle cycles = 0;
  Cycle counted = 0;  ///< the part of them in which no earlier instruction was in flight
};

/// An instruction in a pipe, queued or in flight. What decides when it starts and ends lies on one
/// line of the host's caches, with the opcode.
struct alignas(64) QueueEntry {
  Cycle dispatched = 0;
  Cycle start = 0;
  Cycle done = kNever;
  Cycle blocked_since = kNever;  ///< when it stalled at the head of the queue
  observe::CycleClass blocked_by = observe::CycleClass::kQueueEmpty;
  bool applied = false;  ///< the instruction has taken effect
  isa::DecodedInstr instr;
  std::uint64_t flow = 0;
  isa::SourceLocation set_at;  ///< of a wait that has ended: the line that set its flag
  Cycle bank_conflicts = 0;    ///< stall cycles of the instruction by bank conflicts
  std::uint64_t lanes = 0;     ///< lanes that a started vector instruction computes
  /// Of a move to or from another die. A slot that is free holds none.
  std::shared_ptr<memory::RemoteValues> remote;
};
static_assert(sizeof(QueueEntry) == 320, "five lines of the host's caches");

class Pipe;

/// The timing of the instructions of a unit: when they start and end. A strategy object of a pipe.
class UnitModel {
 public:
  virtual ~UnitModel() = default;
  /// Is called once with the pipe that the model stands behind, for models that wake their pipe.
  virtual void connect(Pipe* pipe) { static_cast<void>(pipe); }
  /// Whether the unit stalls the entry at `now`, although the entry is the next one to start. If
  /// so, `retry` is the cycle at which to ask again, or kNever if the model wakes the pipe.
  virtual bool blocked(const QueueEntry& entry, Cycle now, Cycle& retry) {
    static_cast<void>(entry), static_cast<void>(now), static_cast<void>(retry);
    return false;
  }
  /// Starts `entry` at `now` and sets entry.done. A move sets entry.done later, when its end is
  /// known. Returns the cycle from which the next instruction may start, or kNever if this cycle is
  /// known later.
  virtual Cycle start(QueueEntry& entry, Cycle now) = 0;
  /// Continues the instructions in flight. Returns the cycle at which to call again, or kNever if
  /// the model wakes the pipe. Sets `next_issue` when the next instruction may start.
  virtual Cycle advance(Cycle now, Cycle& next_issue) {
    static_cast<void>(now), static_cast<void>(next_issue);
    return kNever;
  }
  /// The stall cycles of `entry` in [from, entry.done) and their cause. `entry` has ended, and
  /// `from` is not before its start. Entries are passed in the order of their starts.
  virtual Stall stall(const QueueEntry& entry, Cycle from) {
    static_cast<void>(entry), static_cast<void>(from);
    return {};
  }
  virtual void reset() {}
};

/// The interface of a core to its pipes.
class PipeHost {
 public:
  virtual ~PipeHost() = default;
  /// An instruction has left the queue: it has started, or a wait or a barrier has ended.
  virtual void issued(const QueueEntry& entry) = 0;
  /// An instruction has ended. The core lets it take effect, counts and reports it. A set sets its
  /// flag now. `stall` is that of the whole instruction.
  virtual void retired(Pipe& pipe, QueueEntry& entry, const Stall& stall) = 0;
  /// Returns whether the wait for a flag or a cross-core flag ends at `now`. If not, `retry` is the
  /// cycle at which to try again, or kNever if the set of the flag wakes the pipe.
  virtual bool try_wait(QueueEntry& entry, Cycle now, Cycle& retry) = 0;
  virtual void space_in(Pipe& pipe) = 0;  ///< the queue has room for another entry
  virtual void drained(Pipe& pipe) = 0;   ///< the pipe is idle
  virtual void fault_in(Pipe& pipe, const QueueEntry& entry, const isa::Fault& fault) = 0;
};

class Pipe : public sc_core::sc_module, public memory::Clocked {
 public:
  Pipe(sc_core::sc_module_name name, isa::Pipe id, std::uint32_t depth, PipeHost& host,
       memory::CycleClock& clock, std::unique_ptr<UnitModel> model);

  isa::Pipe id() const { return id_; }
  bool full() const { return tail_ - issue_ >= depth_ || tail_ - head_ >= kSlots; }
  bool idle() const { return head_ == tail_; }

  /// Queues an instruction that the scalar unit dispatches at `dispatched`, now or later. The pipe
  /// must not be full.
  void push(const isa::DecodedInstr& instr, Cycle dispatched);
  void wake_at(Cycle cycle);
  void step() override;  ///< called at the next cycle at which the pipe's state can change
  UnitModel& model() { return *model_; }

  void begin_launch(Cycle now, bool by_line);
  /// The core is assigned a block at `given`. The block starts at `start`.
  void begin_block(Cycle given, Cycle start);
  void abort();  ///< drops all instructions
  /// The counters of the launch, which ends at `now`.
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
  /// The entry at the head of the queue, for deadlock reports. nullptr if the queue is empty.
  const QueueEntry* stuck() const { return issue_ != tail_ ? &slot(issue_) : nullptr; }

 private:
  static constexpr std::uint64_t kSlots = 64;

  bool retire(Cycle now);
  bool issue(Cycle now, Cycle& next);
  bool issue_sync(QueueEntry& entry, Cycle now, Cycle& next);
  void block(QueueEntry& entry, Cycle now, observe::CycleClass by);
  Stall account(const QueueEntry& entry);
  Stall account_work(const QueueEntry& entry);

  QueueEntry& slot(std::uint64_t index) { return slots_[order_[index % kSlots]]; }
  const QueueEntry& slot(std::uint64_t index) const { return slots_[order_[index % kSlots]]; }
  void free_head();

  isa::Pipe id_;
  std::uint32_t depth_;
  PipeHost& host_;
  memory::CycleClock& clock_;
  std::unique_ptr<UnitModel> model_;

  /// A pipe has none until its first instruction. Many pipes of a system of dies never get one.
  std::unique_ptr<QueueEntry[]> slots_;
  /// head_ <= issue_ <= tail_: [head_, issue_) is in flight, [issue_, tail_) is queued.
  std::uint64_t head_ = 0, issue_ = 0, tail_ = 0;
  Cycle next_issue_ = 0;
  /// The slot of each place in the ring: all slots, each once. The slot that was freed last is the
  /// next one to be used, because the host's caches hold it.
  std::array<std::uint8_t, kSlots> order_;

  std::uint64_t instructions_ = 0;
  Cycle in_flight_ = 0;
  observe::CycleAccount account_;
};

}  // namespace davsim::sim
