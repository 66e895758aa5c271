// The seam between kernels and the machine: device code emits instruction records into the sink of
// the core it runs on. sim/ implements timed and functional sinks; tests implement their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/core/core_watcher.hpp"
#include "isa/core/registers.hpp"
#include "isa/core/source_location.hpp"
#include "isa/instr/operand.hpp"

namespace davsim::isa {

/// How a kernel's cores are grouped; Ascend C calls it the kernel type.
enum class KernelType : std::uint8_t { kAivOnly, kAicOnly, kMix11, kMix12 };

/// Documented: the counter of GetSystemCycle counts at 50 MHz, whatever the cores' clock.
inline constexpr std::uint64_t kSystemCounterMhz = 50;

/// Who and where a core is in the running launch.
struct CoreIdentity {
  CoreType type = CoreType::AIV;
  KernelType kernel_type = KernelType::kAivOnly;
  std::uint32_t block_idx = 0;      ///< of the AI core (mix) or of the core
  std::uint32_t block_num = 1;      ///< blocks of the launch
  std::uint32_t sub_block_idx = 0;  ///< which AIV of its AI core; 0 on an AIC
  std::uint32_t sub_block_num = 1;  ///< AIVs per AIC of this launch
  std::uint64_t tiling_key = 0;     ///< of the launch
};

class CoreSink {
 public:
  virtual ~CoreSink() = default;

  /// Takes an instruction over. May block the calling kernel where the hardware would block its
  /// scalar unit. Throws Fault.
  virtual void emit(const Instr& instr) = 0;

  /// A load or store by the scalar unit, in program order at the scalar unit's time.
  /// Global memory goes through the core's data cache, which is not coherent with the DMA engines.
  virtual void scalar_load(const Operand& from, void* to, std::size_t bytes,
                           SourceLocation where) = 0;
  virtual void scalar_store(const Operand& to, const void* from, std::size_t bytes,
                            SourceLocation where) = 0;

  /// Writes the data cache's lines of [addr, addr + bytes) back and drops them; everything if
  /// `bytes` is 0.
  virtual void clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes,
                                    SourceLocation where) = 0;

  /// Waits until the scalar unit has issued all that was emitted: the host may run the kernel's
  /// code ahead of it. For whatever shows when the kernel got somewhere, as printing does.
  virtual void reach() {}

  /// The kernel waits for a word in global memory that another core has to write, and has looked at
  /// it once more: `found` ends the wait. Throws Fault(kDeadlock) where nobody is left to write it.
  virtual void polled(bool found, SourceLocation where) {
    static_cast<void>(found);
    static_cast<void>(where);
  }

  /// Whether code that PRELOAD asked for is still on its way.
  virtual bool preloads_code(SourceLocation where) {
    static_cast<void>(where);
    return false;
  }

  /// What lies in memory now, for printouts of the kernel: any buffer, at no cost, and global
  /// memory past the data cache. Throws Fault(kAddress).
  virtual void inspect(const Operand& from, void* to, std::size_t bytes, SourceLocation where) = 0;

  /// The scalar unit's clock, in core cycles; a count of instructions where there is no time.
  virtual std::uint64_t cycle() = 0;
  /// The device's counter of kSystemCounterMhz, which GetSystemCycle reads.
  virtual std::uint64_t system_cycle() = 0;

  virtual const CoreIdentity& identity() const = 0;

  /// Size in bytes of an on-chip buffer of this core; 0 if the core has none.
  virtual std::uint64_t buffer_size(Space space) const = 0;

  Registers& registers() { return registers_; }

  /// Whoever checks what this core does; nullptr for nobody.
  CoreWatcher* watcher() const { return watcher_; }
  void watch(CoreWatcher* watcher) { watcher_ = watcher; }

 private:
  Registers registers_;
  CoreWatcher* watcher_ = nullptr;
};

/// The core whose kernel is running now. Throws std::logic_error outside a kernel.
CoreSink& current_core();
/// Set by whoever switches between cores; nullptr outside kernels.
void set_current_core(CoreSink* core);

}  // namespace davsim::isa
