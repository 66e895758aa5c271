// The interface through which a checker observes a device. isa::CoreWatcher reports what happens on
// each core.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/core_memory.hpp"
#include "isa/core/core_watcher.hpp"
#include "isa/instr/fault.hpp"
#include "memory/global_memory.hpp"
#include "observe/observer.hpp"

namespace davsim::sim {

class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  /// Whether the watcher reads memory when an instruction has taken effect. Effects are then
  /// applied at once.
  virtual bool looks_at_values() const { return false; }
  /// Asked for every core once, before the first launch. `memory` is the core's.
  virtual isa::CoreWatcher* watcher_of(std::uint32_t core, const isa::CoreMemory& memory) = 0;
  /// `memories` are those of the device's dies.
  virtual void launch_begins(const observe::LaunchDescription& launch,
                             const std::vector<const memory::GlobalMemory*>& memories) = 0;
  /// A block starts on these cores, one AI core's or one of its cores; what ran on any of them
  /// before is over.
  virtual void blocks_begin(const std::vector<std::uint32_t>& cores) = 0;
  /// The block's kernel has ended and everything it emitted is done.
  virtual void block_ends(std::uint32_t core) = 0;
  /// A set of every one of `setters` together raised the flag on `raised`; sets of a core complete
  /// in the order in which they were issued.
  virtual void flag_raised(const isa::CrossCoreFlagParams& flag,
                           const std::vector<std::uint32_t>& setters,
                           const std::vector<std::uint32_t>& raised) = 0;
  /// A server of the system has written [start, start + bytes) of a die's memory.
  virtual void server_wrote(std::uint64_t start, std::uint64_t bytes) {
    static_cast<void>(start), static_cast<void>(bytes);
  }
  /// `fault` is what stopped the launch; nullptr if nothing did.
  virtual void launch_ends(const isa::Fault* fault) = 0;
};

}  // namespace davsim::sim
