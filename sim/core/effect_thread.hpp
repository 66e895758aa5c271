// A thread that applies the effects of instructions to memory. The simulation continues to time
// instructions while this thread computes the bytes of those that have ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "isa/core/core_memory.hpp"
#include "isa/instr/decoded_instr.hpp"
#include "isa/instr/fault.hpp"
#include "sim/core/doorbell.hpp"
#include "sim/core/effect_order.hpp"

namespace davsim::sim {

/// Memory and faults are those of a run in one thread. Code that reads memory between begin() and
/// end() calls settle() first. Without begin() effects are applied at once.
///
/// Cores share only global memory. Effects that touch it are applied in the order in which they are
/// given. The effects of one core are applied in their order. Effects inside a core wait until an
/// effect of the same core touches global memory. They are then applied together, while the host's
/// caches hold the core's buffers. A caller that has to wait, for room or for results, applies
/// effects too: each thread works on another core.
class EffectThread {
 public:
  EffectThread() = default;
  ~EffectThread();
  EffectThread(const EffectThread&) = delete;
  EffectThread& operator=(const EffectThread&) = delete;

  /// Cores have numbers from 0. `memory` and `name`, for reports, must outlive this.
  void add_core(std::uint32_t core, const isa::CoreMemory& memory, const std::string& name);

  /// From now on the thread applies the effects. It starts when there are enough of them to be
  /// worth a thread; the caller applies those of a short launch when it waits for them.
  void begin();
  /// Adds an instruction of `core` that has ended. Throws the fault of an earlier effect, if it is
  /// known.
  void give(const isa::DecodedInstr& instr, std::uint32_t core);
  /// Applies an instruction of `core` now, behind all effects. Throws as settle() does.
  void apply_now(const isa::DecodedInstr& instr, std::uint32_t core);
  /// Waits until all effects are applied. Throws the first fault among them.
  void settle();
  /// Waits only for the effects of `core`, and for those that must happen before them. Throws as
  /// settle() does.
  void settle_core(std::uint32_t core);
  /// Waits only for the effects of `core` and for all that touch global memory. Throws as
  /// settle() does.
  void settle_seen_by(std::uint32_t core);
  /// Waits only for the effects that write to [addr, addr + bytes) of global memory. Throws as
  /// settle() does.
  void settle_writes(std::uint64_t addr, std::uint64_t bytes);
  /// Waits for all effects and ends the thread; the first fault among them, once.
  std::optional<isa::Fault> end();

 private:
  /// A core, for its effects and their reports.
  struct Core {
    const isa::CoreMemory* memory = nullptr;
    const std::string* name = nullptr;
  };
  /// Global memory between the first and the last byte that an effect writes.
  struct GlobalWrite {
    std::uint64_t number = 0;
    std::uint64_t begin = 0, end = 0;
  };
  using Job = EffectOrder::Job;
  static constexpr std::uint64_t kNone = Effect::kNone;
  static constexpr std::uint32_t kNoCore = EffectOrder::kNoCore;
  static constexpr std::uint64_t kRoom = EffectRing::kRoom;
  static constexpr std::uint64_t kBatch = 16;  ///< told to the other thread at once
  /// Effects of a launch before the thread starts. A choice: to start it took 5 % of the host's
  /// time for small products, which have fewer.
  static constexpr std::uint64_t kWorthAThread = 256;

  bool idle() const { return !begun_; }

  // of the caller's thread
  void start_thread();
  void push(const isa::DecodedInstr& instr, std::uint32_t core);
  void publish();
  std::uint64_t first_to_happen();
  bool has_happened(std::uint64_t number);
  bool global_happened(std::uint64_t number) const;
  bool has_room();
  void note_global_write(const isa::DecodedInstr& instr);
  template <class Done>
  void help_until(Done done);

  // of both threads
  enum class By : std::uint8_t { kCaller, kOtherThread };
  bool carry_on(By by);
  void run(Job& job);
  void happen(std::uint64_t number, const Effect& effect);
  void fail(std::uint64_t number, isa::Fault fault);

  // of whoever holds mutex_
  std::optional<Job> next_job();
  bool finish(const Job& job);
  void tell_turn();

  void work();  ///< the other thread

  // What one thread writes again and again lies on other lines of the host's caches than what the
  // other thread reads again and again.
  EffectRing ring_;
  std::vector<Core> cores_;
  std::thread thread_;
  std::atomic<std::uint64_t> fault_number_ = kNone;
  std::atomic<bool> draining_ = false;            ///< the caller waits for all
  std::atomic<std::uint32_t> awaited_ = kNoCore;  ///< the caller waits for this core
  std::atomic<bool> ending_ = false;

  // of the caller's thread
  alignas(64) std::uint64_t given_ = 0;    ///< the last ones are not told yet
  bool begun_ = false;                     ///< between begin() and end()
  bool global_unpublished_ = false;        ///< one of them touches global memory
  std::uint64_t settled_ = 0;              ///< effects before have happened, their fault is known
  std::vector<std::uint64_t> last_given_;  ///< of each core
  std::uint64_t last_global_ = kNone;      ///< the last one that touches global memory
  std::deque<GlobalWrite> global_writes_;  ///< that may not have happened yet
  std::atomic<std::uint64_t> freed_ = 0;   ///< all effects before have happened

  // of whoever holds mutex_
  alignas(64) std::mutex mutex_;
  EffectOrder order_{ring_};
  std::optional<isa::Fault> fault_;  ///< the first in the order of numbers

  /// Effects before that touch global memory have happened.
  alignas(64) std::atomic<std::uint64_t> global_done_ = 0;
  alignas(64) std::atomic<std::uint64_t> published_ = 0;
  Doorbell news_;  ///< rings for whatever a waiting thread may wait for
};

}  // namespace davsim::sim
