// What a core needs of the machine around it.
#pragma once

#include <cstdint>
#include <memory_resource>

#include "isa/core/core_memory.hpp"
#include "isa/core/library_workspace.hpp"
#include "isa/instr/fault.hpp"
#include "isa/instr/source_location.hpp"
#include "memory/cycle_clock.hpp"
#include "memory/memory_system.hpp"
#include "observe/observer.hpp"
#include "sim/core/effect_thread.hpp"
#include "sim/core/instruction_cache.hpp"
#include "sim/sync/cross_core_flags.hpp"
#include "sim/sync/poll_watch.hpp"

namespace davsim::sim {

/// The running launch. Cores report their progress to it. It decides whether they continue.
class LaunchControl {
 public:
  /// Stops the launch; the first fault is the one that is reported.
  virtual void fail(isa::Fault fault) = 0;
  virtual bool aborting() const = 0;
  virtual void core_finished(std::uint32_t core) = 0;
  /// See isa::CoreSink::polled(). Throws Fault(kDeadlock).
  virtual void core_polled(std::uint32_t core, bool found, isa::SourceLocation where) = 0;
  /// A core is in a loop in which nothing has happened for long; see PollWatch. Throws
  /// Fault(kDeadlock) if all cores are.
  virtual void core_loops() = 0;

 protected:
  ~LaunchControl() = default;
};

/// The parts of the machine that all cores share.
struct SharedMachine {
  memory::CycleClock& clock;
  memory::MemoryPortIf& memory_port;
  const isa::GlobalAddressMap& global;
  std::uint64_t gm_base = 0;  ///< the host address of device address 0
  CrossCoreFlags& flags;
  EffectThread& effects;                 ///< where instructions take effect
  CallSites& call_sites;                 ///< the numbers of the call sites of all kernels
  std::pmr::memory_resource& buffers;    ///< where cores allocate their on-chip buffers
  const isa::LibraryWorkspace& library;  ///< of the die in the running launch
  PollWatch& polls;
  std::uint32_t first_core = 0;  ///< the number of the die's first core
  bool computes_values = true;   ///< false: instructions take time and have no effect
};

/// The observer of the run, and the detail of its counters.
class Reporting {
 public:
  explicit Reporting(bool by_line) : by_line_(by_line) {}

  observe::Observer* observer() const { return observer_; }
  void attach(observe::Observer* observer) { observer_ = observer; }
  /// Whether cycles are counted by source line as well.
  bool by_line() const { return by_line_; }
  /// A new number that connects a set with its waits in traces.
  std::uint64_t new_flow() { return ++flows_; }

 private:
  observe::Observer* observer_ = nullptr;
  bool by_line_;
  std::uint64_t flows_ = 0;
};

struct CoreEnvironment {
  LaunchControl& launch;
  SharedMachine machine;
  Reporting& reports;
};

}  // namespace davsim::sim
