// A core with a clock. Its scalar unit runs the kernel ahead of simulated time. Its pipes time the
// instructions that the scalar unit issues. An instruction takes effect when it ends.
#pragma once

#include "isa/core/scalar_work.hpp"
#include "sim/core/core.hpp"
#include "sim/core/core_sync.hpp"
#include "sim/core/pipe_set.hpp"
#include "sim/core/scalar_unit.hpp"
#include "sim/soc/timing_table.hpp"

namespace davsim::sim {

class TimedCore : public Core, public isa::ScalarWorkTaker, private PipeHost {
 public:
  TimedCore(sc_core::sc_module_name name, observe::CoreDescription place, const CoreSpec& spec,
            const TimingTable& timing, double frequency_mhz, const CoreEnvironment& environment);

  // isa::CoreSink
  void clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes,
                            isa::SourceLocation where) override;
  bool preloads_code(isa::SourceLocation where) override;
  void reach() override;
  std::uint64_t cycle() override;
  std::uint64_t system_cycle() override;

  // isa::ScalarWorkTaker
  void scalar_work(isa::SourceLocation where) override;

  // Core
  void begin_launch(Cycle start, std::uint64_t code_base) override;
  void end_launch(Cycle end, observe::CoreCounters& counters) override;
  void cross_core_arrival(Cycle cycle) override;
  void abort() override;
  std::vector<WaitPoint> waits() const override;
  bool at_rest() const override { return scalar_.at_rest() && pipes_.nothing_in_flight(); }
  bool set_queued(const isa::FlagParams& flag) const override { return pipes_.set_queued(flag); }

 private:
  // PipeHost
  void issued(const QueueEntry& entry) override { tell_issued(entry.instr); }
  void retired(Pipe& pipe, QueueEntry& entry, const Stall& stall) override;
  bool try_wait(QueueEntry& entry, Cycle now, Cycle& retry) override;
  void space_in(Pipe& pipe) override { scalar_.space_in(pipe); }
  void drained(Pipe&) override { scalar_.pipe_drained(); }
  void fault_in(Pipe& pipe, const QueueEntry& entry, const isa::Fault& fault) override;

  // Core
  void begin_block(Cycle cycle) override;
  void take(const isa::DecodedInstr& instr) override;
  void load(const isa::Operand& from, void* to, std::size_t bytes,
            isa::SourceLocation where) override;
  void store(const isa::Operand& to, const void* from, std::size_t bytes,
             isa::SourceLocation where) override;
  std::byte* access_part(const isa::PointerAccess& part) override;
  std::uint32_t pointer_line() const override { return scalar_.pointer_line(); }
  void drain() override;
  void finish_emitted() override { scalar_.wait_for_pipes(); }

  /// Lets an instruction take effect, unless it already has.
  void apply(QueueEntry& entry);

  double frequency_mhz_;
  PipeSet pipes_;
  CoreSync sync_;
  ScalarUnit scalar_;
  Cycle block_start_ = 0;
};

}  // namespace davsim::sim
