// Finds the deadlock of cores that poll words in global memory: all of them poll in vain, and every
// other core of the launch waits for one of them. Cores that wait in functions of the library say
// that they poll. Loops of a kernel's own are known by what they do: they read the same places of
// global memory thousands of times while no core writes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "isa/instr/source_location.hpp"

namespace davsim::sim {

class PollWatch {
 public:
  /// `outside`: others than the cores may write what they wait for, which is asked after few
  /// rounds.
  void begin(std::size_t cores, bool outside) {
    cores_.assign(cores, {});
    loops_.assign(cores, {});
    rounds_ = outside ? kFewRounds : kManyRounds;
  }

  /// A core has looked for its word; `found` ends its wait.
  void polled(std::uint32_t core, bool found, isa::SourceLocation where) {
    Poller& poller = cores_.at(core);
    if (!found && !poller.waits) look_anew();
    poller.waits = !found;
    poller.where = where;
    ++poller.looks;
  }

  /// Nobody has seen yet what a core wrote before it began to wait or ended its block.
  void look_anew() {
    for (Poller& poller : cores_) poller.looks = 0;
  }

  bool waits(std::uint32_t core) const { return cores_.at(core).waits; }
  isa::SourceLocation where(std::uint32_t core) const { return cores_.at(core).where; }

  /// Whether `core` has looked in vain for long enough to have seen all that those wrote who wait
  /// now or have ended, and for a flag between cores to arrive.
  bool in_vain(std::uint32_t core) const { return cores_.at(core).looks >= kEnough; }

  // --- loops of the kernels' own

  /// A core has written to global memory, set a flag of another core, ended a block, or looked at
  /// the time, by which its loop may end.
  void something_happened() { ++happened_; }
  /// The scalar unit of a core has read a value of its buffers, on which it may decide.
  void decided(std::uint32_t core, isa::SourceLocation where) {
    loops_.at(core).decides = true;
    loops_.at(core).where = where;
  }
  /// A core has dropped its copy of this line, or of all where it is 0, as a loop does before it
  /// reads anew, also where it reads through a pointer of C++, which nobody may see. As repeats().
  bool repeats_dropping(std::uint32_t core, std::uint64_t line, isa::SourceLocation where) {
    decided(core, where);
    return repeats(core, line | 1);  // the read itself is another place
  }
  /// A core has read a place which it may have had already.
  void read(std::uint32_t core, std::uint64_t addr) {
    Loop& loop = loops_.at(core);
    loop.others = loop.others * 31 + addr;
  }
  /// A core's pipe has read global memory. True once in so many rounds of a loop in which nothing
  /// has happened, and in which the core read the same places and decided on what it read.
  bool repeats(std::uint32_t core, std::uint64_t addr) {
    Loop& loop = loops_.at(core);
    if (loop.seen != happened_ || loop.rounds == 0) {
      loop = {happened_, addr, 1, false, loop.where};
      return false;
    }
    if (addr != loop.addr) {
      loop.others = loop.others * 31 + addr;
      // A place from before the loop does not come back. The next one is given twice the time.
      if (++loop.reads > loop.patience) {
        loop = {happened_, addr, 1, false, loop.where, 2 * loop.patience};
      }
      return false;
    }
    if (!loop.decides) return false;
    loop.decides = false;
    loop.reads = 0;
    const bool same = loop.others == loop.others_before;
    loop.others_before = std::exchange(loop.others, 0);
    if (!same) loop.rounds = 1;  // it goes on to other places: it does not wait
    return ++loop.rounds % rounds_ == 0;
  }
  /// A choice: a kernel that repeats its work to measure it may come close. At some hundred cycles
  /// each, these rounds are tens of milliseconds.
  static constexpr std::uint32_t kManyRounds = 100000;
  /// A choice: enough to believe that a core waits, where a wrong answer costs a pause of the host.
  static constexpr std::uint32_t kFewRounds = 64;
  /// Whether the core has been in such a loop for about so many rounds.
  bool loops(std::uint32_t core, std::uint32_t rounds = kManyRounds) const {
    const Loop& loop = loops_.at(core);
    return loop.seen == happened_ && loop.rounds >= rounds / 4;
  }
  isa::SourceLocation loop_at(std::uint32_t core) const { return loops_.at(core).where; }

 private:
  struct Loop {
    std::uint64_t seen = 0, addr = 0;  ///< happened_ when it began, and the place that it reads
    std::uint32_t rounds = 0;          ///< 0: none has begun
    bool decides = false;              ///< since the last read
    isa::SourceLocation where;
    std::uint64_t patience = 16;  ///< reads of other places before `addr` is given up, a choice
    std::uint64_t reads = 0;      ///< of other places since the last one of `addr`
    std::uint64_t others = 0, others_before = 0;  ///< a hash of them, and that of the round before
  };
  std::vector<Loop> loops_;
  std::uint64_t happened_ = 0;
  std::uint32_t rounds_ = kManyRounds;

  /// A look goes to global memory and back, which takes a flag's way several times.
  static constexpr std::uint32_t kEnough = 8;

  struct Poller {
    bool waits = false;
    std::uint32_t looks = 0;  ///< in vain, since the last core began to wait
    isa::SourceLocation where;
  };
  std::vector<Poller> cores_;
};

}  // namespace davsim::sim
