// Effects that have not been applied yet, and which of them come next.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "isa/instr/decoded_instr.hpp"

namespace davsim::sim {

/// An instruction that has ended. Effects have numbers in the order in which they are given.
struct alignas(64) Effect {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::uint64_t next = kNone;  ///< of the same core
  std::uint32_t core = 0;
  bool global = false;  ///< touches global memory
  std::atomic<bool> happened = false;
  isa::DecodedInstr instr;
};

/// The effects under way, by their numbers. A place is used again once its effect has happened.
class EffectRing {
 public:
  static constexpr std::uint64_t kRoom = 4096;

  EffectRing() : places_(std::make_unique<Effect[]>(kRoom)) {}
  Effect& at(std::uint64_t number) { return places_[number % kRoom]; }

 private:
  std::unique_ptr<Effect[]> places_;
};

/// The order in which effects may be applied: those of a core one behind the other, those that
/// touch global memory in their turn. Two threads use it. Whoever calls holds their mutex.
class EffectOrder {
 public:
  static constexpr std::uint64_t kNone = Effect::kNone;
  static constexpr std::uint32_t kNoCore = ~std::uint32_t{0};

  /// Effects of a core that a thread carries on with: from `first` to `last` or `turn`, but to none
  /// that touches global memory out of turn.
  struct Job {
    std::uint32_t core = 0;
    std::uint64_t first = kNone, last = kNone, turn = kNone;
    std::uint64_t ended = kNone;       ///< the last one that was reached
    std::uint64_t stopped_at = kNone;  ///< whose turn has not come; else kNone
  };
  /// What somebody waits for.
  struct Awaited {
    bool all = false;              ///< all effects, or room for more
    std::uint32_t core = kNoCore;  ///< those of a core
  };

  explicit EffectOrder(EffectRing& ring) : ring_(ring) {}

  void add_core(std::uint32_t core);
  /// Starts with number 0 again.
  void begin() { taken_ = 0; }
  /// Gives effects before `end` to their cores, as many as it takes to see what can be done now.
  void take(std::uint64_t end, const Awaited& awaited);
  /// How many effects have been given to their cores.
  std::uint64_t taken() const { return taken_; }
  /// What a thread should do next, if there is anything to do at present.
  std::optional<Job> next(const Awaited& awaited);
  /// Returns whether there may be something to do now that could not be done before.
  bool finish(const Job& job);
  /// The first effect that touches global memory and has not happened, or taken() if all have.
  std::uint64_t turn() const { return turns_.empty() ? taken_ : turns_.front().number; }

 private:
  /// Effects of a core that are under way.
  struct CoreEffects {
    std::uint64_t first = kNone, last = kNone;
    bool busy = false;        ///< a thread carries on with them
    std::uint32_t place = 0;  ///< of the core in waiting_, if it has effects
    std::uint64_t looked_at = 0;
  };
  /// An effect that touches global memory.
  struct Turn {
    std::uint64_t number = 0;
    std::uint32_t core = 0;
  };
  static constexpr std::size_t kTurnsAhead = 16;  ///< looked at for something to do

  void append(std::uint64_t number);
  void no_longer_waits(std::uint32_t core);
  std::optional<Job> next_awaited(std::uint32_t core);
  std::optional<Job> next_in_turn();
  std::optional<Job> next_oldest();
  Job begin_job(std::uint32_t core, std::uint64_t turn);

  EffectRing& ring_;
  std::vector<CoreEffects> cores_;
  /// The cores that have effects, in any order. In a large system most have none.
  std::vector<std::uint32_t> waiting_;
  std::deque<Turn> turns_;   ///< still to come
  std::uint64_t taken_ = 0;  ///< effects before have been given to their cores
  std::uint64_t round_ = 0;
};

}  // namespace davsim::sim
