// The interface between kernels and the machine. Device code emits instruction records into the
// sink of its core. sim/ implements timed and functional sinks; tests have their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/core/core_watcher.hpp"
#include "isa/core/global_pointer.hpp"
#include "isa/core/registers.hpp"
#include "isa/instr/operand.hpp"
#include "isa/instr/source_location.hpp"

namespace davsim::isa {

/// How a kernel's cores are grouped; Ascend C calls it the kernel type.
enum class KernelType : std::uint8_t { kAivOnly, kAicOnly, kMix11, kMix12 };

/// Documented: the counter of GetSystemCycle counts at 50 MHz, whatever the cores' clock.
inline constexpr std::uint64_t kSystemCounterMhz = 50;

/// The identity and place of a core in the running launch.
struct CoreIdentity {
  CoreType type = CoreType::AIV;
  KernelType kernel_type = KernelType::kAivOnly;
  std::uint32_t block_idx = 0;      ///< of the AI core (mix) or of the core
  std::uint32_t block_num = 1;      ///< blocks of the launch
  std::uint32_t sub_block_idx = 0;  ///< which AIV of its AI core; 0 on an AIC
  std::uint32_t sub_block_num = 1;  ///< AIVs per AIC of this launch
  std::uint64_t tiling_key = 0;     ///< of the launch
  PipeMask pipes;                   ///< of the core, as its SoC's description has them
};

class CoreSink;

/// An element that `tensor(i)` names and whose use is not known yet. `tensor(i) = x` stores and
/// `float x = tensor(i)` loads; `auto x = tensor(i)` shows only that it is a copy of the element
/// when the kernel goes on without either. The element is then loaded before the next thing that
/// the core is given. A core has one such element at most.
class UnusedElement {
 public:
  using Load = void (*)(const UnusedElement& element);

  UnusedElement(const UnusedElement&) = delete;
  UnusedElement& operator=(const UnusedElement&) = delete;

 protected:
  /// Of no core.
  UnusedElement() = default;
  /// `load` is called when the kernel goes on. What the core had is loaded first.
  explicit UnusedElement(Load load);
  ~UnusedElement() { take(); }
  /// The element is used now, or never.
  void take() const;

 private:
  friend CoreSink;
  Load load_ = nullptr;
  mutable CoreSink* core_ = nullptr;  ///< that has it; nullptr once it is used
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

  /// The kernel's own code is about to access global memory through a pointer of C++. Returns where
  /// the bytes are; see isa/core/global_pointer.hpp. Not all accesses are told.
  virtual void* access_by_pointer(const PointerAccess& access) {
    return reinterpret_cast<void*>(access.addr);
  }
  /// A store with PointerAccess::ends has written where it was told.
  virtual void stored_by_pointer() {}

  /// Writes the data cache's lines of [addr, addr + bytes) back and drops them; everything if
  /// `bytes` is 0.
  virtual void clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes,
                                    SourceLocation where) = 0;

  /// Waits until the scalar unit has issued everything emitted, because the host runs the kernel's
  /// code ahead of it. For calls that show the kernel's progress, such as printing.
  virtual void reach() {}

  /// Called at each poll of a word in global memory that another core has to write. `found` ends
  /// the wait. Throws Fault(kDeadlock) if no running core can write the word.
  virtual void polled(bool found, SourceLocation where) {
    static_cast<void>(found);
    static_cast<void>(where);
  }

  /// The copy at `where` was asked for `bytes` and moves only `moved`, which are whole DataBlocks.
  virtual void copied_short(std::uint64_t bytes, std::uint64_t moved, SourceLocation where) {
    static_cast<void>(bytes);
    static_cast<void>(moved);
    static_cast<void>(where);
  }

  /// Whether code that PRELOAD requested has not arrived yet.
  virtual bool preloads_code(SourceLocation where) {
    static_cast<void>(where);
    return false;
  }

  /// Reads memory as it is now, for printouts of the kernel: any buffer at no cost, and global
  /// memory without the data cache. Throws Fault(kAddress).
  virtual void inspect(const Operand& from, void* to, std::size_t bytes, SourceLocation where) = 0;

  /// The scalar unit's clock, in core cycles; a count of instructions where there is no time.
  virtual std::uint64_t cycle() = 0;
  /// The device's counter of kSystemCounterMhz, which GetSystemCycle reads.
  virtual std::uint64_t system_cycle() = 0;

  virtual const CoreIdentity& identity() const = 0;

  /// Size in bytes of an on-chip buffer of this core; 0 if the core has none.
  virtual std::uint64_t buffer_size(Space space) const = 0;

  Registers& registers() { return registers_; }

  /// The checker of this core; nullptr if there is none.
  CoreWatcher* watcher() const { return watcher_; }
  void watch(CoreWatcher* watcher) { watcher_ = watcher; }

 protected:
  /// The kernel whose element it was is over.
  void forget_unused_element() { unused_element_ = nullptr; }

 private:
  friend class UnusedElement;
  friend CoreSink& current_core();
  void load_unused_element();

  Registers registers_;
  CoreWatcher* watcher_ = nullptr;
  const UnusedElement* unused_element_ = nullptr;
};

inline void UnusedElement::take() const {
  if (core_ == nullptr) return;
  core_->unused_element_ = nullptr;
  core_ = nullptr;
}

/// The core whose kernel is running now. An UnusedElement that it has is loaded. Throws
/// std::logic_error outside a kernel.
CoreSink& current_core();
/// The code that switches between cores sets it; nullptr outside kernels.
void set_current_core(CoreSink* core);

}  // namespace davsim::isa
