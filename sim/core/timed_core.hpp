// A core with a clock: the scalar unit runs the kernel ahead of simulated time and blocks where the
// hardware does; pipes time what it queues and apply it when it completes.
#pragma once

#include <array>
#include <deque>
#include <memory>

#include "memory/memory_system.hpp"
#include "observe/cycle_account.hpp"
#include "sim/core/core.hpp"
#include "sim/core/data_cache.hpp"
#include "sim/core/program_queue.hpp"
#include "sim/soc/timing_table.hpp"
#include "sim/unit/pipe.hpp"
#include "sim/unit/unit_flags.hpp"

namespace davsim::sim {

/// Memory requesters of one core: its pipes and the data cache. Pipe S fetches instructions.
inline constexpr std::uint32_t kRequestersPerCore = isa::kPipeCount + 1;
inline constexpr std::uint32_t kDataCacheRequester = isa::kPipeCount;

class TimedCore : public Core, public PipeHost, public memory::MemoryClient {
 public:
  TimedCore(sc_core::sc_module_name name, observe::CoreDescription place, const SocConfig& soc,
            const TimingTable& timing, const isa::GlobalAddressMap& global, std::uint64_t gm_base,
            memory::MemoryPortIf& memory_port, CoreHost& host);

  // isa::CoreSink
  void emit(const isa::Instr& instr) override;
  void scalar_load(const isa::Operand& from, void* to, std::size_t bytes,
                   isa::SourceLocation where) override;
  void scalar_store(const isa::Operand& to, const void* from, std::size_t bytes,
                    isa::SourceLocation where) override;
  void clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes,
                            isa::SourceLocation where) override;
  bool preloads_code(isa::SourceLocation where) override;
  void reach() override;
  std::uint64_t cycle() override;
  std::uint64_t system_cycle() override;

  // Core
  void begin_launch(Cycle start) override;
  void end_launch(Cycle end, observe::CoreCounters& counters) override;
  void cross_core_arrival(Cycle cycle) override;
  void abort() override;
  std::vector<WaitPoint> waits() const override;
  bool at_rest() const override;
  bool set_queued(const isa::FlagParams& flag) const override;

  // PipeHost
  memory::CycleClock& clock() override { return host().clock(); }
  void issued(const QueueEntry& entry) override;
  void retired(Pipe& pipe, QueueEntry& entry) override;
  bool try_wait(QueueEntry& entry, Cycle now, Cycle& retry) override;
  void space_in(Pipe& pipe) override;
  void drained(Pipe& pipe) override;
  void fault_in(Pipe& pipe, const QueueEntry& entry, const isa::Fault& fault) override;

  // memory::MemoryClient: the data cache's fills
  void accepted(std::uint32_t tag, Cycle completes) override {
    if (completes != kNever) completed(tag, completes);
  }
  void completed(std::uint32_t tag, Cycle cycle) override;

 private:
  static constexpr std::uint32_t kNoResume = ~std::uint32_t{0};
  /// What the scalar unit stands still for.
  struct Wait {
    observe::CycleClass cause = observe::CycleClass::kQueueEmpty;
    std::string what;
    isa::SourceLocation where;
    isa::Pipe from = isa::Pipe::ALL;  ///< the pipe waited for, if it is one
    isa::Instr instr = {};            ///< a wait for a flag; or what finds its pipe's queue full
  };

  /// Fetches of code: of lines that the scalar unit waits for, or of a PRELOAD. Each is posted
  /// later than the one before.
  class CodeFetch : public memory::MemoryClient {
   public:
    explicit CodeFetch(TimedCore& core) : core_(core) {}
    void accepted(std::uint32_t tag, Cycle completes) override {
      if (completes != kNever) completed(tag, completes);
    }
    void completed(std::uint32_t tag, Cycle cycle) override;
    struct Fetch {
      std::uint32_t tag;
      InstructionCache::Lines lines;
    };
    std::deque<Fetch> pending;
    std::uint32_t next_tag = 0;

   private:
    TimedCore& core_;
  };

  void begin_block(Cycle cycle) override;
  /// Applies an instruction's meaning, once.
  void apply(QueueEntry& entry);
  /// Sets the flag of a set, whoever waits for it wakes; false if `entry` is no set.
  bool signal(QueueEntry& entry);
  void add_pipe(isa::Pipe id, std::unique_ptr<UnitModel> model);
  std::unique_ptr<UnitModel> model_for(isa::Pipe id);
  Pipe* pipe(isa::Pipe id) { return pipes_[static_cast<std::size_t>(id)].get(); }

  void drain() override;
  void finish_emitted() override { wait_until_idle(observe::CycleClass::kDone, {}); }
  void issue();
  /// Whether the scalar unit has the code of a call; else what it lacks is asked for, and
  /// code_arrives() follows. Where it is known when the code will be there, waits until then.
  bool has_code(const isa::SourceLocation& where, isa::Opcode op) {
    if (code_.off()) return true;
    const std::uint32_t site = call_sites_.number(where, op);
    ++code_reads_;
    return code_.holds(site) || get_code(site, where);
  }
  bool get_code(std::uint32_t site, isa::SourceLocation where);
  /// Holds the kernel's thread, which has been reached, until it has.
  void await_code(isa::SourceLocation where, isa::Opcode op);
  void wait_for_code(Cycle there, isa::SourceLocation where);
  void fetch(InstructionCache::Lines lines, Cycle cycle, CodeFetch& by);
  void preload(const isa::Instr& instr, Cycle began);
  void code_arrives();
  Cycle issue_cycles(const isa::Instr& instr) const;
  /// Holds the kernel's thread until no more than so many instructions are still to be issued.
  void run_ahead_no_more_than(std::uint32_t instructions);
  void account_wait_for_room(const isa::Instr& instr);
  void look_at_pipes(const isa::Instr& instr);
  void barrier_of_all(const isa::Instr& instr);
  void scalar_sync(const isa::Instr& instr);
  void wait_until_idle(observe::CycleClass cause, isa::SourceLocation where);
  bool all_idle() const;

  /// Lets simulated time catch up with the scalar unit, which runs ahead.
  void catch_up();
  /// Stands still until `ready()`; the scalar unit's clock goes on from there.
  template <class Ready>
  void stand_still(const Wait& reason, Ready ready, const isa::SourceLocation* set_at = nullptr);
  /// Counts the time in which the scalar unit stood still up to now.
  void account_wait(const isa::SourceLocation* set_at);
  WaitPoint wait_point(const Wait& wait) const;
  void spend(std::uint64_t cycles, isa::SourceLocation where) {
    scalar_time_ += cycles;
    scalar_account_.add({observe::CycleClass::kBusy, isa::Pipe::ALL, where, {}}, cycles);
  }
  void report_scalar(const isa::Instr& instr, Cycle start, Cycle end, std::uint64_t flow,
                     Cycle waited_for_memory = 0);
  Cycle scalar_cycles(observe::CycleClass cycle_class) const {
    return scalar_account_.cycles()[static_cast<std::size_t>(cycle_class)];
  }

  void load_line(std::uint64_t addr, isa::SourceLocation where);
  template <class Part>
  void for_each_line(std::uint64_t addr, std::size_t bytes, Part part);
  DataCache::WriteBack write_back();

  const TimingTable& timing_;
  double frequency_mhz_;
  std::uint64_t gm_base_;
  memory::MemoryPortIf& memory_port_;
  UnitFlags unit_flags_;
  std::array<std::unique_ptr<Pipe>, isa::kPipeCount> pipes_;
  DataCache data_cache_;
  InstructionCache code_;
  CallSites& call_sites_;
  std::uint64_t code_base_ = 0;
  std::uint64_t code_reads_ = 0;
  CodeFetch fetches_{*this}, preloads_{*this};
  InstructionCache::Lines preloaded_;  ///< by the last PRELOAD

  Cycle scalar_time_ = 0;  ///< the scalar unit's own clock, at or ahead of simulated time
  Cycle block_start_ = 0;
  std::uint64_t scalar_instructions_ = 0;
  observe::CycleAccount scalar_account_;  ///< up to scalar_time_
  ProgramQueue program_;
  bool awaits_room_ = false;             ///< the first of the program finds its queue full
  bool awaits_code_ = false;             ///< what comes next is not in the instruction cache
  std::uint32_t resume_at_ = kNoResume;  ///< the kernel's thread goes on when so few are left
  bool standing_still_ = false;
  Wait wait_;
  sc_core::sc_event resume_;        ///< wakes the kernel's thread while it stands still
  sc_core::sc_event line_arrives_;  ///< a fill of the data cache is done
};

}  // namespace davsim::sim
