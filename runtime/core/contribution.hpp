// The message in which a process tells the others its part of a collective operation of the host.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/core/timeline.hpp"
#include "sim/system/collective_plan.hpp"

namespace davsim::runtime {

/// What a rank does in an operation. Addresses are those of its own process.
struct Contribution {
  sim::RankCollective request;
  std::string sent;        ///< the bytes that the operation reads of the rank's buffers, by address
  Microseconds ready = 0;  ///< since the ranks met
  std::string failure;     ///< why the rank takes no part; empty: it does

  std::string packed() const;
  static Contribution opened(std::string message);
};

/// Those of other processes, by rank.
struct OtherRanks {
  std::map<std::uint32_t, Contribution> contributions;
  std::string missing;  ///< a rank that will not come, as text; empty: none
};

}  // namespace davsim::runtime
