// A core: its buffers, its identity in the running launch, and the thread that runs kernels on it.
// The subclasses TimedCore and FunctionalCore decide what happens to the instructions that a kernel
// emits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "isa/core/block_local.hpp"
#include "isa/core/core_memory.hpp"
#include "isa/core/core_sink.hpp"
#include "isa/core/kernel_frame.hpp"
#include "isa/core/kernel_registry.hpp"
#include "isa/instr/fault.hpp"
#include "observe/counters.hpp"
#include "observe/observer.hpp"
#include "sim/core/auto_sync.hpp"
#include "sim/core/core_environment.hpp"
#include "sim/core/debugger_view.hpp"
#include "sim/core/placeless.hpp"
#include "sim/core/short_copies.hpp"
#include "sim/soc/core_spec.hpp"
#include "sim/sync/event_flags.hpp"
#include "sim/sync/wait_graph.hpp"
#include "sim/unit/instr_work.hpp"
#include "sim/watch/run_watcher.hpp"

namespace davsim::sim {

/// The exception that unwinds the kernels of the other cores after a fault. LaunchAborted is not a
/// std::exception, so that no kernel catches it by accident.
struct LaunchAborted {};

/// One block of a launch on one core.
struct CoreJob {
  isa::CoreIdentity identity;
  std::function<void()> kernel;
  std::string kernel_name;
  isa::KernelTraits traits;
};

class Core : public sc_core::sc_module, public isa::CoreSink {
 public:
  Core(sc_core::sc_module_name name, observe::CoreDescription place, const CoreSpec& spec,
       const CoreEnvironment& environment);

  // isa::CoreSink
  void emit(const isa::Instr& record) final;
  void scalar_load(const isa::Operand& from, void* to, std::size_t bytes,
                   isa::SourceLocation where) final;
  void scalar_store(const isa::Operand& to, const void* from, std::size_t bytes,
                    isa::SourceLocation where) final;
  void* access_by_pointer(const isa::PointerAccess& access) final;
  void stored_by_pointer() final;
  const isa::CoreIdentity& identity() const override { return job_.identity; }
  std::uint64_t buffer_size(isa::Space space) const override { return memory_.size(space); }
  void inspect(const isa::Operand& from, void* to, std::size_t bytes,
               isa::SourceLocation where) override;
  void polled(bool found, isa::SourceLocation where) override {
    environment_.launch.core_polled(index(), found, where);
  }
  void copied_short(std::uint64_t bytes, std::uint64_t moved, isa::SourceLocation where) override {
    short_copies_.took(bytes, moved, where, watcher());
  }

  std::uint32_t index() const { return place_.id; }
  /// The core's number on its die: that of its flags and of its requesters.
  std::uint32_t index_on_die() const { return place_.id - machine().first_core; }
  isa::CoreType type() const { return place_.type; }
  const std::string& report_name() const { return place_.name; }
  /// The core's place on its die.
  const observe::CoreDescription& place() const { return place_; }
  /// The kernel's last call of the API before it was suspended last.
  isa::SourceLocation last_call() const { return last_call_; }
  const std::string& kernel_name() const { return job_.kernel_name; }
  const isa::KernelTraits& kernel_traits() const { return job_.traits; }

  /// From now on the core reports what it does to its watcher, which `run` provides. nullptr ends
  /// the reports.
  void watch_run(RunWatcher* run);
  /// Starts a block at `cycle`.
  void begin(CoreJob job, Cycle cycle);
  bool running() const { return running_; }
  /// What the launch so far did on this core that may give wrong results, see Device::suspicion().
  std::string suspicion() const;
  void forget_suspicion();
  /// The fault of the kernel, while the instructions that it emitted before the fault are still to
  /// be carried out. Else nullptr.
  const isa::Fault* stopped_by() const { return stopped_by_ ? &*stopped_by_ : nullptr; }

  /// `code_base` is the address, for the memory system, of the kernel's code for cores of this
  /// type. The code has at most kMostCode bytes.
  virtual void begin_launch(Cycle start, std::uint64_t code_base) = 0;
  /// Writes the counters of the launch into `counters`. Cycles are absolute.
  virtual void end_launch(Cycle end, observe::CoreCounters& counters) = 0;
  /// A set of a cross-core flag arrives at this core at `cycle`.
  virtual void cross_core_arrival(Cycle cycle) = 0;
  /// Drops all work and wakes the kernel so that it unwinds.
  virtual void abort() = 0;
  /// Every part of this core that waits, for deadlock reports.
  virtual std::vector<WaitPoint> waits() const = 0;
  /// Whether the core has nothing in flight. Only another core can then end its waits.
  virtual bool at_rest() const = 0;
  /// The wait of the scalar unit that polls a word of global memory at `where`.
  WaitPoint poll_point(isa::SourceLocation where) const;
  /// Whether the queue of the setting pipe holds a set of the flag.
  virtual bool set_queued(const isa::FlagParams& flag) const = 0;

  /// The event flags that are set and not awaited yet.
  std::vector<EventFlags::Raised> raised_flags() const { return flags_.raised(); }

  // for the units of this core
  const SharedMachine& machine() const { return environment_.machine; }
  Reporting& reports() const { return environment_.reports; }
  const isa::CoreMemory& memory() const { return memory_; }
  /// Suspends the kernel's thread until `event`. Throws LaunchAborted if the launch has failed by
  /// then.
  void pause(const sc_core::sc_event& event);
  void pause(const sc_core::sc_time& time);
  /// See LaunchControl::core_loops().
  void looks_in_vain() { environment_.launch.core_loops(); }
  /// Tells the watcher, if there is one, that an instruction has started.
  void tell_issued(const isa::DecodedInstr& instr);
  /// Tells the watcher, if there is one, of an access through a pointer, within 64 bytes.
  void tell_accessed(const isa::PointerAccess& access);
  /// A wait of a pipe, or of the scalar unit, at `instr`.
  WaitPoint wait_point(isa::Pipe pipe, const isa::Instr& instr, std::string text) const;
  /// Throws isa::Fault unless the scalar unit can read and write all of the operand.
  void require_scalar_space(const isa::Operand& operand, std::uint64_t bytes,
                            isa::SourceLocation where) const;

 protected:
  /// Takes over an instruction that the kernel emits. It has been checked.
  virtual void take(const isa::DecodedInstr& instr) = 0;
  /// A load or store of the scalar unit; see isa::CoreSink.
  virtual void load(const isa::Operand& from, void* to, std::size_t bytes,
                    isa::SourceLocation where) = 0;
  virtual void store(const isa::Operand& to, const void* from, std::size_t bytes,
                     isa::SourceLocation where) = 0;
  /// An access to global memory through a pointer, or a part of one that lies within a line of the
  /// data cache. Returns where the bytes are until the core is given something else.
  virtual std::byte* access_part(const isa::PointerAccess& part) = 0;
  /// Bytes of a line of the data cache that such accesses go through; 0: they go through none.
  virtual std::uint32_t pointer_line() const { return 0; }
  /// Is called when a block has been assigned to this core. The block starts at `cycle`.
  virtual void begin_block(Cycle cycle) { static_cast<void>(cycle); }
  /// Ends the block: waits until all instructions that the kernel emitted have ended.
  virtual void drain() = 0;
  /// Waits until all instructions that the kernel emitted have ended. Throws LaunchAborted.
  virtual void finish_emitted() = 0;
  /// False while the kernel is being unwound. Destructors may then still call the API; their calls
  /// have no effect.
  bool accepts_work() const;
  /// Adds core, kernel and instruction to a fault and stops the launch.
  void fail(isa::Fault fault, const isa::Instr* instr);
  void name_tensor(isa::Fault& fault, const char* name, const isa::Operand& operand) const;
  isa::Fault described(isa::Fault fault, const isa::Instr* instr) const;
  /// Counts what an instruction moved or computed.
  void count_work(const InstrWork& work);
  /// Writes the core's name and type into `counters`.
  void describe(observe::CoreCounters& counters) const;

  CoreEnvironment& environment() { return environment_; }
  EventFlags& flags() { return flags_; }

 private:
  /// Refuses an instruction of the wrong core type or with illegal operands.
  isa::DecodedInstr decoded(const isa::Instr& instr) const;
  void take_placed(const isa::Instr& record);
  template <class Visit>
  void for_each_part(const isa::PointerAccess& access, Visit visit);
  void* place_of(const isa::PointerAccess& access);
  void take_inserted(const std::vector<isa::Instr>& inserted);
  void thread();  ///< start_ wakes it for a block; in a block, the events given to pause()
  void run_block();
  /// Makes this core the one whose kernel runs.
  void take_host();
  void fail_in_order(isa::Fault fault);

  observe::CoreDescription place_;
  CoreSpec spec_;
  CoreEnvironment environment_;
  RunWatcher* run_watcher_ = nullptr;
  isa::CoreMemory memory_;
  EventFlags flags_;
  AutoSync auto_sync_;
  PlacelessTensors placeless_;
  ShortCopies short_copies_;
  CoreJob job_;
  DebuggerView debugger_view_;
  isa::BlockLocals block_locals_;
  isa::KernelFrame frame_;
  sc_core::sc_event start_;
  bool running_ = false;
  isa::SourceLocation last_call_;
  /// What a pointer loads of several lines, and what one stores until stored_by_pointer().
  std::vector<std::byte> loaded_bytes_, stored_bytes_;
  isa::PointerAccess stored_;
  std::uint32_t accesses_when_aborted_ = 0;
  std::optional<isa::Fault> stopped_by_;

 protected:
  observe::CoreCounters counters_;
};

/// A synchronisation instruction that waits: "MTE2: WAIT_FLAG V_MTE2 event 0 at add.cpp:41".
std::string describe_wait(const isa::Instr& instr);
std::string wait_name(const isa::Instr& instr);  ///< "WAIT_FLAG V_MTE2 event 0"

}  // namespace davsim::sim
