// The order of accesses on one core: a clock for each pipe, and the clocks that flags carry.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "checker/clock.hpp"
#include "checker/course.hpp"
#include "isa/instr/params.hpp"
#include "isa/instr/source_location.hpp"

namespace davsim::checker {

class CoreOrder {
 public:
  explicit CoreOrder(std::uint32_t core);

  /// The previous block has ended completely. The flags that it left are forgotten. `in_order`: its
  /// accesses come before those of the next block; else nothing orders them.
  void begin_block(bool in_order);

  /// The scalar unit dispatches an instruction to `pipe`. The instruction knows what the scalar
  /// unit knows now.
  void dispatch(isa::Pipe pipe, const isa::SourceLocation& where);
  /// The pipe starts its next instruction.
  void start(isa::Pipe pipe);
  /// The agent at `place` has made access `stamp`.
  void accessed(std::uint32_t place, Stamp stamp, const isa::SourceLocation& where);
  /// The position in the kernel of the last access of the agent at `place`, and of its access
  /// `stamp`; 0 if that is too long ago to tell. The order of the run is another one, because pipes
  /// run ahead of each other.
  std::uint64_t position(std::uint32_t place) const { return trails_[place].place; }
  std::uint64_t position_of(std::uint32_t place, Stamp stamp) const;

  /// The kernel waits for other cores here. Behind it their positions can be compared anew.
  void meet_others() { course_.begin_stretch(place_); }
  const Course& course() const { return course_; }

  void set_flag(const isa::FlagParams& flag);
  void wait_flag(const isa::FlagParams& flag);
  void barrier(isa::Pipe pipe);
  void drained();

  void set_cross(const isa::CrossCoreFlagParams& flag, isa::Pipe pipe, isa::SourceLocation where);
  /// Removes the oldest set. It has raised its flag.
  Clock raise(const isa::CrossCoreFlagParams& flag);
  void arrive(std::uint8_t id, const Clock& clock);
  void wait_cross(std::uint8_t id, isa::Pipe pipe);
  /// Calls visit(flag, where) for every set that raised no flag.
  template <class Visit>
  void for_each_lost(Visit visit) const {
    for (const CrossSet& set : cross_sets_) visit(set.flag, set.where);
  }
  void forget_sets() { cross_sets_.clear(); }

  /// Returns what `pipe` has done and knows.
  Clock published(isa::Pipe pipe) const;
  void learn(isa::Pipe pipe, const Clock& clock);

  const Clock& clock(isa::Pipe pipe) const { return clocks_[static_cast<std::size_t>(pipe)]; }

 private:
  struct Dispatched {
    std::uint64_t number;
    std::shared_ptr<const Clock> clock;
  };
  struct Queue {
    std::uint64_t dispatched = 0, started = 0, version = 0;
    std::deque<Dispatched> news;       ///< what the scalar unit learned before an instruction
    std::deque<std::uint64_t> places;  ///< positions, in the kernel, of what has not started
  };
  /// The last accesses of an agent, each with its position in the kernel.
  struct Trail {
    static constexpr std::size_t kKept = 64;
    std::array<std::pair<Stamp, std::uint64_t>, kKept> accesses{};
    std::size_t next = 0;
    std::uint64_t place = 0;  ///< position of the agent's current access
  };
  /// A flag that is set, with the clock of its setter.
  struct FlagSet {
    isa::FlagParams flag;
    Clock clock;
  };
  /// A set of a cross-core flag that waits for those of other cores.
  struct CrossSet {
    isa::CrossCoreFlagParams flag;
    Clock clock;
    isa::SourceLocation where;
  };
  /// A cross-core flag that was raised and not awaited yet.
  struct Arrival {
    std::uint8_t id;
    Clock clock;
  };
  std::uint32_t core_;
  Clock& clock_of(isa::Pipe pipe) { return clocks_[static_cast<std::size_t>(pipe)]; }

  std::array<Clock, isa::kPipeCount> clocks_;
  std::array<Stamp, kAgentsPerCore> last_{};
  std::array<Queue, isa::kPipeCount> queues_;
  std::array<Trail, kAgentsPerCore> trails_;
  std::uint64_t place_ = 0;  ///< instructions and scalar accesses that the kernel has made
  Course course_;
  std::uint64_t version_ = 1;  ///< of the scalar unit's clock
  std::shared_ptr<const Clock> snapshot_;
  // In the order of the sets; there are few at a time.
  std::vector<FlagSet> flags_;
  std::vector<CrossSet> cross_sets_;
  std::vector<Arrival> arrivals_;
};

}  // namespace davsim::checker
