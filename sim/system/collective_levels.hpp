// Reductions and gathers of several servers: within each server, and between the dies with the same
// place in their servers. Each goes step by step through the windows of the ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace davsim::sim {

struct PlannedCopy;
using PlanSteps = std::vector<std::vector<PlannedCopy>>;

/// `ranks` ranks in servers of `server` each, which follow one another.
struct Levels {
  std::uint32_t ranks = 0, server = 0;
  /// "mesh" or "ring": how the ranks of a server reach each other.
  std::string within;
  /// A rank's place for the byte at `offset` of the data.
  std::function<std::uint64_t(std::uint32_t rank, std::uint64_t offset)> place;
};

/// Whether an operation of these dies goes in two levels: they are whole servers, more than one,
/// each with as many neighbouring dies of it as the others. `server` is 0 where there are no
/// levels. Returns the ranks of a server, or 0.
std::uint32_t ranks_of_server(const std::vector<std::uint32_t>& dies, std::uint32_t server);

/// All ranks come to have the sum of `bytes`: parts are summed up within each server, then between
/// servers, and go round in the server.
PlanSteps all_reduce_in_levels(const Levels& levels, std::uint64_t bytes);
/// Each rank comes to have the sum of its part of ranks * `block` bytes: within each server, then
/// between servers, so that a card carries each sum once.
PlanSteps reduce_scatter_in_levels(const Levels& levels, std::uint64_t block);
/// Each rank comes to have the blocks of all: between servers, then within.
PlanSteps all_gather_in_levels(const Levels& levels, std::uint64_t block);

}  // namespace davsim::sim
