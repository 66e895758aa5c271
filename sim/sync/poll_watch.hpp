// Finds the deadlock of cores that poll words in global memory: all of them poll in vain, and every
// other core of the launch waits for one of them.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/instr/source_location.hpp"

namespace davsim::sim {

class PollWatch {
 public:
  void begin(std::size_t cores) { cores_.assign(cores, {}); }

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

 private:
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
