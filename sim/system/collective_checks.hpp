// What is wrong with a collective operation before anything moves: types, counts and buffers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/system/collective_plan.hpp"

namespace davsim::sim {

/// Elements of an operation, or of a count or an offset of one, so that bytes can be counted.
inline constexpr std::uint64_t kMostElements = std::uint64_t{1} << 48;

/// The name that the documentation has for it.
const char* name_of(isa::CollectiveKind kind);

/// What is wrong with an operation of so many ranks, whatever its buffers are; empty: nothing.
std::string wrong_with(const isa::Collective& operation, std::size_t ranks);

/// Bytes that an operation reads or writes.
struct CollectiveBuffer {
  const char* use;  ///< "sends" or "receives"
  std::uint64_t start = 0, bytes = 0;
};
/// Those of one rank, in all rounds; none of a BatchWrite, whose items are looked at by themselves.
std::vector<CollectiveBuffer> buffers_of(const RankCollective& request, std::uint32_t rank,
                                         std::size_t ranks);

}  // namespace davsim::sim
