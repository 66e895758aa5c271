// The state that the checkers of all cores share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "checker/adders.hpp"
#include "checker/clock.hpp"
#include "checker/finding.hpp"
#include "checker/polls.hpp"
#include "checker/shadow.hpp"
#include "checker/site.hpp"
#include "isa/core/core_memory.hpp"
#include "memory/global_memory.hpp"

namespace davsim::checker {

/// Global memory: the shadow of each allocation, kept from launch to launch while it lives.
class GlobalShadow {
 public:
  struct Region {
    std::uint64_t start = 0, bytes = 0, serial = 0;
    std::string name;
    Shadow shadow;
  };
  /// Updates the regions of one die to its present allocations.
  void follow(const memory::GlobalMemory& memory);
  /// The allocation that contains `addr`; nullptr if there is none.
  Region* find(std::uint64_t addr);

 private:
  std::vector<Region> regions_;  ///< by address
  std::size_t last_ = 0;
};

/// The clocks that words in global memory carry from core to core, by the word's address.
using Words = std::map<std::uint64_t, Clock>;

/// A read of bytes that nobody wrote by an instruction whose results depend on lanes of their own.
struct UnwrittenRead {
  Occurrence occurrence;
  Finding finding;
  bool has_users = false;  ///< something has read other results of the same line
};

/// A look at a flag that was stored and not yet written back.
struct EarlyLook {
  Occurrence occurrence;
  Finding finding;
  std::uint32_t site;
};

struct RunState {
  Sites sites;
  Findings findings;
  std::map<std::uint16_t, UnwrittenRead> unwritten_reads;  ///< of this launch, by their sites
  std::map<Stamp, EarlyLook> early_looks;  ///< the first of each store that nobody has found yet
  GlobalShadow global;
  Words words;
  Polls polls;
  Adders adders;
  Stamp last = 0;              ///< the last stamp that was assigned
  std::uint64_t accesses = 0;  ///< an instruction has several
  Stamp floor = 0;             ///< accesses up to this one had ended when the launch began
  std::string kernel;
  std::vector<std::string> core_names;
  std::vector<class CoreChecker*> cores;
  bool numbers = false;
};

}  // namespace davsim::checker
