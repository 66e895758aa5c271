// What instructions do to memory, in a thread of its own: the simulation goes on timing while the
// bytes of what has ended are computed behind it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "isa/core/core_memory.hpp"
#include "isa/instr/fault.hpp"
#include "isa/instr/instr.hpp"

namespace davsim::sim {

/// Memory and faults are those of a run in one thread. Whoever looks at memory between begin() and
/// end() calls settle() first. Without begin() effects happen at once.
///
/// Cores share global memory only. So effects that touch it happen in the order in which they are
/// given; what a core does on its chip waits until an effect of the same core touches global
/// memory, and then happens in one go, while the host's caches hold that core's buffers.
class EffectThread {
 public:
  EffectThread();
  ~EffectThread();
  EffectThread(const EffectThread&) = delete;
  EffectThread& operator=(const EffectThread&) = delete;

  /// Cores have numbers from 0. `memory` and `name`, for reports, must outlive this.
  void add_core(std::uint32_t core, const isa::CoreMemory& memory, const std::string& name);

  /// From now on effects happen behind the caller.
  void begin();
  /// Gives an instruction of `core` that has ended. Throws the fault that an effect before this one
  /// has met, if that is known.
  void give(const isa::Instr& instr, std::uint32_t core);
  /// Waits until all effects have happened. Throws the first fault among them.
  void settle();
  /// Waits only for the effects that write to [addr, addr + bytes) of global memory. Throws as
  /// settle() does.
  void settle_writes(std::uint64_t addr, std::uint64_t bytes);
  /// Waits for all effects and ends the thread; the first fault among them, once.
  std::optional<isa::Fault> end();

 private:
  enum class Kind : std::uint8_t { kInstr, kSettle, kEnd };
  struct Effect {
    isa::Instr instr;
    std::uint64_t next = kNone;  ///< of the same core
    std::uint32_t core = 0;
    Kind kind = Kind::kInstr;
    bool happened = false;
  };
  /// Effects of a core that wait for one that touches global memory.
  struct Backlog {
    const isa::CoreMemory* memory = nullptr;
    const std::string* name = nullptr;
    std::uint64_t first = kNone, last = kNone;
  };
  /// Global memory between the first and the last byte that an effect writes.
  struct GlobalWrite {
    std::uint64_t number = 0;
    std::uint64_t begin = 0, end = 0;
  };
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  static constexpr std::uint64_t kRing = 4096;  ///< effects under way at most
  static constexpr std::uint64_t kBatch = 16;   ///< told to the other thread at once

  // of the caller's thread
  Effect& slot(std::uint64_t number) { return ring_[number % kRing]; }
  void push(const isa::Instr& instr, std::uint32_t core, Kind kind);
  void publish();
  std::uint64_t await(const std::atomic<std::uint64_t>& counter, std::uint64_t number);
  void note_global_write(const isa::Instr& instr);
  void rethrow();

  // of the other thread
  void work();
  bool take(std::uint64_t number);
  void catch_up(std::uint32_t core);
  void happen(std::uint64_t number, const Effect& effect);
  void fail(std::uint64_t number, isa::Fault fault);
  void tell(std::uint64_t taken);

  std::unique_ptr<Effect[]> ring_;
  std::thread thread_;

  std::uint64_t given_ = 0;                ///< the last ones are not told yet
  std::uint64_t seen_freed_ = 0;           ///< a copy of freed_, perhaps old
  std::deque<GlobalWrite> global_writes_;  ///< that may not have happened yet

  std::vector<Backlog> backlogs_;  ///< by core
  std::uint64_t fault_number_ = kNone;
  std::optional<isa::Fault> fault_;  ///< the first in the order of numbers

  alignas(64) std::atomic<std::uint64_t> published_ = 0;
  std::atomic<std::uint64_t> awaited_ = 0;  ///< what the simulation's thread last waited for
  alignas(64) std::atomic<std::uint64_t> taken_ = 0;  ///< all global writes before have happened
  std::atomic<std::uint64_t> freed_ = 0;              ///< all effects before have happened
  std::atomic<bool> failed_ = false;
};

}  // namespace davsim::sim
