// A core without a clock. An instruction takes effect as soon as it may start. A pipe has a queue
// only while a wait stalls it, so that a kernel sees the same order as on the device.
#pragma once

#include <array>
#include <deque>

#include "sim/core/core.hpp"

namespace davsim::sim {

class FunctionalCore : public Core {
 public:
  using Core::Core;

  /// If the poll failed, the other cores run next.
  void polled(bool found, isa::SourceLocation where) override;
  /// A functional core has no data cache. The call is reported to the watcher, and counts as a look
  /// at what other cores write.
  void clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes,
                            isa::SourceLocation where) override;
  std::uint64_t cycle() override;
  std::uint64_t system_cycle() override { return cycle(); }

  void begin_launch(Cycle start, std::uint64_t code_base) override;
  void end_launch(Cycle end, observe::CoreCounters& counters) override;
  void cross_core_arrival(Cycle cycle) override;
  void abort() override;
  std::vector<WaitPoint> waits() const override;
  bool at_rest() const override { return scalar_wait_ != nullptr; }
  bool set_queued(const isa::FlagParams& flag) const override;

 private:
  /// An instruction that waits in a queue, and its place in the order of the kernel.
  struct Held {
    isa::DecodedInstr instr;
    std::uint64_t number;
  };
  using Queue = std::deque<Held>;

  void take(const isa::DecodedInstr& instr) override;
  void load(const isa::Operand& from, void* to, std::size_t bytes,
            isa::SourceLocation where) override;
  void store(const isa::Operand& to, const void* from, std::size_t bytes,
             isa::SourceLocation where) override;
  std::byte* access_part(const isa::PointerAccess& part) override;
  void drain() override;
  void finish_emitted() override {}  // an instruction that has not ended waits for a flag
  Queue& queue(isa::Pipe pipe) { return queues_[static_cast<std::size_t>(pipe)]; }
  /// Whether the instruction may pass. A wait passes if its flag is set, and takes the flag. Every
  /// other instruction passes.
  bool passes(const isa::DecodedInstr& instr);
  /// Executes the instruction with the place `number` in the order of the kernel. Returns false if
  /// the instruction has to wait.
  bool run(const isa::DecodedInstr& instr, std::uint64_t number);
  /// Whether the unit flag stalls the instruction. Mmads and Fixpipes with the unit flag keep their
  /// order.
  bool held_by_unit_flag(const isa::DecodedInstr& instr, std::uint64_t number);
  /// Continues all pipes with a queue until no instruction can start.
  void run_queues();
  void wait_for(const isa::DecodedInstr& what, const std::function<bool()>& ready);
  bool all_idle() const;
  /// Lets the other cores run after some looks, because the kernel may poll what they write.
  void let_others_go_on();

  /// Tells the watch for polling loops what an instruction has written or read.
  void watch_polling(const isa::DecodedInstr& instr);

  std::array<Queue, isa::kPipeCount> queues_;
  std::uint64_t emitted_ = 0;
  std::uint32_t looks_ = 0;  ///< reads and calls since the other cores ran
  const isa::DecodedInstr* scalar_wait_ = nullptr;
  sc_core::sc_event resume_;
};

}  // namespace davsim::sim
