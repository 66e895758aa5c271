// Sort32 and MrgSort: pairs of a score and an index, 8 bytes each, in descending order of scores.
#pragma once

#include "isa/instr/params.hpp"

namespace davsim::isa {

struct Instr;

/// What an MrgSort queue can be long.
inline constexpr std::uint32_t kMaxQueueLength = 4095;

/// Pairs of all queues of one repeat.
constexpr std::uint32_t merged_pairs(const SortParams& params) {
  std::uint32_t pairs = 0;
  for (std::uint32_t q = 0; q < params.queues; ++q) pairs += params.lengths[q];
  return pairs;
}

/// Repeats of a merge that are carried out: those of four queues that lie one behind the other and
/// are alike; else one.
std::uint32_t merge_repeats(const Instr& instr);

/// Pairs that a record sorts. A merge that stops early counts in full: how far it comes depends on
/// what is in memory when it runs.
std::uint64_t sorted_pairs(const Instr& instr);

}  // namespace davsim::isa
