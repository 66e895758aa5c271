// The scalar unit of a core. It runs the kernel ahead of simulated time, on a clock of its own. It
// stalls where the hardware stalls, and issues instructions to the pipes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/cycle_account.hpp"
#include "sim/core/code_fetch.hpp"
#include "sim/core/core.hpp"
#include "sim/core/core_sync.hpp"
#include "sim/core/data_cache.hpp"
#include "sim/core/pipe_set.hpp"
#include "sim/core/program_queue.hpp"
#include "sim/core/scalar_cost.hpp"
#include "sim/soc/timing_table.hpp"

namespace davsim::sim {

/// The number of memory requesters of one core: its pipes and the data cache. The requester of pipe
/// S is the fetch of code.
inline constexpr std::uint32_t kRequestersPerCore = isa::kPipeCount + 1;
inline constexpr std::uint32_t kDataCacheRequester = isa::kPipeCount;

class ScalarUnit : public memory::MemoryClient, private CodeClient {
 public:
  /// Stalls of the unit suspend the thread of `core`, on which its kernel runs.
  ScalarUnit(Core& core, const TimingTable& timing, memory::RequesterId first_requester,
             PipeSet& pipes, CoreSync& sync);

  // Calls of the kernel, on its thread; see isa::CoreSink.
  void emit(const isa::DecodedInstr& instr);
  void load(const isa::Operand& from, void* to, std::size_t bytes, isa::SourceLocation where);
  void store(const isa::Operand& to, const void* from, std::size_t bytes,
             isa::SourceLocation where);
  /// The kernel accesses global memory through a pointer, within a line of the data cache. Returns
  /// where the bytes are.
  std::byte* access(const isa::PointerAccess& access);
  /// Bytes of a line; 0 if such accesses take no time, and go through no cache.
  std::uint32_t pointer_line() const { return costs_.takes_time() ? data_cache_.line_bytes() : 0; }
  void work(isa::SourceLocation where);
  /// What the kernel has executed since its last call, when it has ended.
  void work_behind_last_call();
  void clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes, isa::SourceLocation where);
  bool preloads_code(isa::SourceLocation where);
  /// Suspends the kernel's thread until all instructions that it has emitted are issued.
  void reach() { run_ahead_no_more_than(0); }
  /// The unit's own clock. It is never behind simulated time.
  Cycle time() const { return time_; }
  /// Waits until all pipes are idle, after the end of the kernel.
  void wait_for_pipes() { wait_until_idle(observe::CycleClass::kDone, {}); }
  /// Writes all of the data cache back.
  void end_block() { data_cache_.clean_and_invalidate(0, 0, write_back()); }

  // Calls of the pipes and of other cores.
  void space_in(const Pipe& pipe);
  void pipe_drained();
  void flag_set();  ///< a flag that this unit may wait for was set
  void cross_core_flag_coming();

  // memory::MemoryClient, for the fills of the data cache
  void accepted(std::uint32_t tag, Cycle completes) override {
    if (completes != kNever) completed(tag, completes);
  }
  void completed(std::uint32_t tag, Cycle cycle) override;

  void begin_launch(Cycle start, std::uint64_t code_base);
  void begin_block(Cycle given, Cycle start);
  void end_launch(Cycle end, observe::CoreCounters& counters);
  void abort();

  /// Adds the wait of the unit, if it waits, to `points`, for deadlock reports.
  void add_wait(std::vector<WaitPoint>& points) const;
  /// Whether the unit waits for the pipes of its own core or for another core.
  bool at_rest() const;

 private:
  static constexpr std::uint32_t kNoResume = ~std::uint32_t{0};
  /// The reason of a stall. Small, because a unit stalls at every barrier, and the stalls of many
  /// dies lie in no cache of the host.
  struct StallReason {
    observe::CycleClass cause = observe::CycleClass::kQueueEmpty;
    isa::Pipe from = isa::Pipe::ALL;  ///< the pipe that the unit waits for, if any
    const char* what = nullptr;       ///< nullptr: what `instr` waits for
    isa::SourceLocation where = {};
    /// The wait for a flag, or the instruction whose queue is full; nullptr: neither. It exists for
    /// as long as the stall.
    const isa::Instr* instr = nullptr;
  };

  // issuing
  void issue();
  bool issue(const isa::DecodedInstr& instr, const ScalarCost& cost);
  void run_ahead_no_more_than(std::uint32_t instructions);
  void issue_more();
  void account_wait_for_room(const isa::DecodedInstr& instr);
  Cycle issue_cycles(const isa::DecodedInstr& instr) const;
  void look_at_pipes(const isa::DecodedInstr& instr);
  /// Spends the cycles of the kernel's own code before a call.
  void spend_before(const ScalarCost& cost, isa::SourceLocation where);
  void show_work(const ScalarCost& cost, Cycle began, isa::SourceLocation where);
  /// Waits for values that were loaded from UB.
  void await_loads(isa::SourceLocation where);
  void barrier_of_all(const isa::DecodedInstr& instr);
  void synchronise(const isa::DecodedInstr& instr);
  void wait_until_idle(observe::CycleClass cause, isa::SourceLocation where);

  // code
  /// Whether the code of a call is ready. If its ready time is known, the unit stalls until then
  /// and the result is true. If the result is false, code_arrives() follows.
  bool has_code(const isa::SourceLocation& where, isa::Opcode op, const ScalarCost& cost) {
    if (code_.off()) return true;
    const std::uint32_t site = code_.site(where, op, cost.place);
    ++code_counters_.reads;
    return code_.holds(site) || get_code({site, cost.code_bytes, cost.jumps}, where);
  }
  bool get_code(CodeSite site, isa::SourceLocation where);
  /// Suspends the kernel's thread until the code of a call is ready. reach() comes before. Then
  /// spends what comes before the call.
  void await_code(isa::SourceLocation where, isa::Opcode op, const ScalarCost& cost);
  void wait_for_code(Cycle ready, isa::SourceLocation where);
  void code_arrives() override;

  // time
  /// Suspends the kernel's thread until simulated time has reached the unit's clock.
  void catch_up();
  /// The same unless what follows is `independent` of simulated time. The unit may then run ahead:
  /// to suspend the thread takes the host longer than all else that a loop over single elements
  /// does.
  void catch_up_unless(bool independent);
  /// Stalls until `ready()` is true. The unit's clock continues at that cycle.
  template <class Ready>
  void stall(const StallReason& reason, Ready ready, const isa::SourceLocation* set_at = nullptr);
  /// Counts the cycles of the stall that ends now.
  void account_stall(const isa::SourceLocation* set_at);
  void spend(std::uint64_t cycles, isa::SourceLocation where) {
    time_ += cycles;
    account_.add({observe::CycleClass::kBusy, isa::Pipe::ALL, where, {}}, cycles);
  }
  Cycle cycles_of(observe::CycleClass cycle_class) const {
    return account_.cycles()[static_cast<std::size_t>(cycle_class)];
  }
  void report(const isa::DecodedInstr& instr, Cycle start, Cycle end, std::uint64_t flow,
              Cycle waited_for_memory = 0);
  WaitPoint wait_point(const StallReason& reason) const;

  // data
  void settle_dropped(std::uint64_t addr, std::uint64_t bytes);
  void load_line(std::uint64_t addr, isa::SourceLocation where);
  void report_access(const isa::PointerAccess& access, Cycle start, Cycle waited);
  template <class Part>
  void for_each_line(std::uint64_t addr, std::size_t bytes, Part part);
  DataCache::WriteBack write_back();

  Core& core_;
  const ScalarTiming& timing_;
  memory::RequesterId data_requester_;
  PipeSet& pipes_;
  CoreSync& sync_;
  CodeFetch code_;
  DataCache data_cache_;
  ScalarCosts costs_;

  Cycle time_ = 0;
  Cycle loaded_ = 0;   ///< values loaded from UB are there
  Cycle ub_free_ = 0;  ///< a load from UB may start
  std::uint64_t instructions_ = 0;
  observe::CycleAccount account_;  ///< the classes of the cycles up to time_
  observe::CodeCounters code_counters_;

  isa::SourceLocation last_call_;  ///< that issued an instruction

  ProgramQueue program_;
  bool awaits_room_ = false;             ///< the queue of the next instruction is full
  bool awaits_code_ = false;             ///< the code of the next instruction is not ready
  std::uint32_t resume_at_ = kNoResume;  ///< the kernel continues when so few instructions are left
  bool stalled_ = false;                 ///< by stall_reason_; the kernel's thread is suspended
  StallReason stall_reason_;
  sc_core::sc_event resume_;        ///< wakes the kernel's thread while it waits for the unit
  sc_core::sc_event line_arrives_;  ///< a fill of the data cache is complete
};

}  // namespace davsim::sim
