// The scalar unit of a core: it runs the kernel ahead of simulated time, on a clock of its own, and
// stalls where the hardware does. What it issues goes to the pipes.
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
#include "sim/soc/timing_table.hpp"

namespace davsim::sim {

/// Memory requesters of one core: its pipes and the data cache. Pipe S fetches instructions.
inline constexpr std::uint32_t kRequestersPerCore = isa::kPipeCount + 1;
inline constexpr std::uint32_t kDataCacheRequester = isa::kPipeCount;

class ScalarUnit : public memory::MemoryClient, private CodeClient {
 public:
  /// `core` lends the thread that its kernel runs on.
  ScalarUnit(Core& core, const TimingTable& timing, memory::RequesterId first_requester,
             PipeSet& pipes, CoreSync& sync);

  // what the kernel asks for, on its thread; see isa::CoreSink
  void emit(const isa::Instr& instr);
  void load(const isa::Operand& from, void* to, std::size_t bytes, isa::SourceLocation where);
  void store(const isa::Operand& to, const void* from, std::size_t bytes,
             isa::SourceLocation where);
  void clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes, isa::SourceLocation where);
  bool preloads_code(isa::SourceLocation where);
  /// Holds the kernel's thread until all it has emitted is issued.
  void reach() { run_ahead_no_more_than(0); }
  /// The unit's own clock, at or ahead of simulated time.
  Cycle time() const { return time_; }
  /// Waits until the pipes have nothing left to do; the kernel has ended.
  void wait_for_pipes() { wait_until_idle(observe::CycleClass::kDone, {}); }
  /// Writes all of the data cache back.
  void end_block() { data_cache_.clean_and_invalidate(0, 0, write_back()); }

  // what the pipes and other cores tell
  void space_in(const Pipe& pipe);
  void pipe_drained();
  void flag_set();  ///< one that this unit may wait for
  void cross_core_flag_coming();

  // memory::MemoryClient: fills of the data cache
  void accepted(std::uint32_t tag, Cycle completes) override {
    if (completes != kNever) completed(tag, completes);
  }
  void completed(std::uint32_t tag, Cycle cycle) override;

  void begin_launch(Cycle start, std::uint64_t code_base);
  void begin_block(Cycle given, Cycle start);
  void end_launch(Cycle end, observe::CoreCounters& counters);
  void abort();

  /// What the unit waits for, if it does, for deadlock reports.
  void add_wait(std::vector<WaitPoint>& points) const;
  /// Whether it waits for something that its own core's pipes or another core have to do.
  bool at_rest() const;

 private:
  static constexpr std::uint32_t kNoResume = ~std::uint32_t{0};
  /// What the unit is stalled by.
  struct StallReason {
    observe::CycleClass cause = observe::CycleClass::kQueueEmpty;
    std::string what;
    isa::SourceLocation where;
    isa::Pipe from = isa::Pipe::ALL;  ///< the pipe waited for, if it is one
    isa::Instr instr = {};            ///< a wait for a flag; or what finds its pipe's queue full
  };

  // issuing
  void issue();
  void run_ahead_no_more_than(std::uint32_t instructions);
  void issue_more();
  void account_wait_for_room(const isa::Instr& instr);
  Cycle issue_cycles(const isa::Instr& instr) const;
  void look_at_pipes(const isa::Instr& instr);
  void barrier_of_all(const isa::Instr& instr);
  void synchronise(const isa::Instr& instr);
  void wait_until_idle(observe::CycleClass cause, isa::SourceLocation where);

  // code
  /// Whether the code of a call is there, waiting for it where its ready time is known. False:
  /// code_arrives() follows.
  bool has_code(const isa::SourceLocation& where, isa::Opcode op) {
    if (code_.off()) return true;
    const std::uint32_t site = code_.site(where, op);
    ++code_counters_.reads;
    return code_.holds(site) || get_code(site, where);
  }
  bool get_code(std::uint32_t site, isa::SourceLocation where);
  /// Holds the kernel's thread, which has been reached, until the code of a call is there.
  void await_code(isa::SourceLocation where, isa::Opcode op);
  void wait_for_code(Cycle ready, isa::SourceLocation where);
  void code_arrives() override;

  // time
  /// Lets simulated time catch up with the unit, which runs ahead.
  void catch_up();
  /// Stalls until `ready()`; the unit's clock goes on from there.
  template <class Ready>
  void stall(const StallReason& reason, Ready ready, const isa::SourceLocation* set_at = nullptr);
  /// Counts the time in which the unit was stalled up to now.
  void account_stall(const isa::SourceLocation* set_at);
  void spend(std::uint64_t cycles, isa::SourceLocation where) {
    time_ += cycles;
    account_.add({observe::CycleClass::kBusy, isa::Pipe::ALL, where, {}}, cycles);
  }
  Cycle cycles_of(observe::CycleClass cycle_class) const {
    return account_.cycles()[static_cast<std::size_t>(cycle_class)];
  }
  void report(const isa::Instr& instr, Cycle start, Cycle end, std::uint64_t flow,
              Cycle waited_for_memory = 0);
  WaitPoint wait_point(const StallReason& reason) const;

  // data
  void load_line(std::uint64_t addr, isa::SourceLocation where);
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

  Cycle time_ = 0;
  std::uint64_t instructions_ = 0;
  observe::CycleAccount account_;  ///< up to time_
  observe::CodeCounters code_counters_;

  ProgramQueue program_;
  bool awaits_room_ = false;             ///< the first of the program finds its queue full
  bool awaits_code_ = false;             ///< what comes next is not in the instruction cache
  std::uint32_t resume_at_ = kNoResume;  ///< the kernel's thread goes on when so few are left
  bool stalled_ = false;                 ///< by stall_reason_, which holds the kernel's thread
  StallReason stall_reason_;
  sc_core::sc_event resume_;        ///< wakes the kernel's thread while it waits for the unit
  sc_core::sc_event line_arrives_;  ///< a fill of the data cache is done
};

}  // namespace davsim::sim
