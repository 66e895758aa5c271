// The copies of which a collective operation consists: what the algorithm moves, step by step.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/collectives.hpp"
#include "sim/soc/system_config.hpp"

namespace davsim::sim {

/// What one rank asks for, with arrays of its own.
struct RankCollective {
  isa::Collective what;
  std::vector<std::uint64_t> send_counts, send_offsets, recv_counts, recv_offsets;

  /// The operation with pointers to these arrays, for as long as this lives.
  isa::Collective pointing() const {
    isa::Collective operation = what;
    operation.send_counts = send_counts.data();
    operation.send_offsets = send_offsets.data();
    operation.recv_counts = recv_counts.data();
    operation.recv_offsets = recv_offsets.data();
    return operation;
  }
};
/// A write of BatchWrite.
struct BatchItem {
  std::uint64_t from = 0, to = 0, bytes = 0;
};

/// Bytes of an element of a HcclDataType; 0: there is no such type.
std::uint64_t bytes_of_type(std::uint32_t type);

/// The bytes of part `index` of `bytes` in `parts` that begin at multiples of 512.
struct Part {
  std::uint64_t offset = 0, bytes = 0;
};
Part part_of(std::uint64_t bytes, std::uint64_t parts, std::uint64_t index);

/// A copy between ranks; addresses are host addresses.
struct PlannedCopy {
  std::uint32_t from = 0, to = 0;
  std::uint64_t source = 0, destination = 0, bytes = 0;
};
/// The copies of a step run beside each other. A step begins when the one before is over.
struct CollectivePlan {
  std::vector<std::vector<PlannedCopy>> steps;
};

/// Where results pass through: a window of each rank.
struct PlanWindows {
  std::vector<std::uint64_t> start;
  std::uint64_t bytes = 0;
  std::uint32_t server_ranks = 0;  ///< ranks of a server where there are several; 0: one level
};

/// The plan of round `round`; that of BatchWrite is empty.
CollectivePlan plan_of(const std::vector<RankCollective>& ranks, std::uint32_t round,
                       const CollectiveTiming& timing, const PlanWindows& windows);

}  // namespace davsim::sim
