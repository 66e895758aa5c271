// A core without a clock: instructions take effect the moment they may start. Queues exist only
// where a wait holds a pipe back, so that a kernel sees the same order as on the device.
#pragma once

#include <array>
#include <deque>

#include "sim/core/core.hpp"

namespace davsim::sim {

class FunctionalCore : public Core {
 public:
  using Core::Core;

  void emit(const isa::Instr& instr) override;
  void scalar_load(const isa::Operand& from, void* to, std::size_t bytes,
                   isa::SourceLocation where) override;
  void scalar_store(const isa::Operand& to, const void* from, std::size_t bytes,
                    isa::SourceLocation where) override;
  /// In vain: the other cores have their turn at once.
  void polled(bool found, isa::SourceLocation where) override;
  /// There is no data cache here; only a watcher hears of it.
  void clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes,
                            isa::SourceLocation where) override;
  std::uint64_t cycle() override { return emitted_; }
  std::uint64_t system_cycle() override { return emitted_; }

  void begin_launch(Cycle start, std::uint64_t code_base) override;
  void end_launch(Cycle end, observe::CoreCounters& counters) override;
  void cross_core_arrival(Cycle cycle) override;
  void abort() override;
  std::vector<WaitPoint> waits() const override;
  bool at_rest() const override { return scalar_wait_ != nullptr; }
  bool set_queued(const isa::FlagParams& flag) const override;

 private:
  /// An instruction that is held back, and its place in the kernel's order.
  struct Held {
    isa::Instr instr;
    std::uint64_t number;
  };
  using Queue = std::deque<Held>;

  void drain() override;
  void finish_emitted() override {}  // what is not done waits for a flag
  Queue& queue(isa::Pipe pipe) { return queues_[static_cast<std::size_t>(pipe)]; }
  /// Whether a wait finds its flag, which it takes; everything else passes.
  bool passes(const isa::Instr& instr);
  /// Carries out the instruction that was emitted as `number`; false if it has to wait.
  bool run(const isa::Instr& instr, std::uint64_t number);
  /// Whether the unit flag holds it back: products and results with the flag keep their order.
  bool held_by_unit_flag(const isa::Instr& instr, std::uint64_t number);
  /// Carries on with every held-back pipe until nothing moves.
  void run_queues();
  void wait_for(const isa::Instr& what, const std::function<bool()>& ready);
  bool all_idle() const;
  /// Lets the other cores go on now and then: this one may poll what they write.
  void let_others_go_on();

  std::array<Queue, isa::kPipeCount> queues_;
  std::uint64_t emitted_ = 0;
  std::uint32_t global_reads_ = 0;  ///< since the others had their turn
  const isa::Instr* scalar_wait_ = nullptr;
  sc_core::sc_event resume_;
};

}  // namespace davsim::sim
