// AllToAllV in steps, as Hccl's Iterate goes through it. A round of it has as many parts as there
// are steps, each of which is committed and awaited by itself.
#pragma once

#include "isa/core/collectives.hpp"

namespace davsim::isa {

/// Parts of a round: `stride` of an AllToAllV, which has no other use for it; 0 is one part.
inline std::uint32_t steps_of(const Collective& of) {
  return of.kind == CollectiveKind::kAllToAllV && of.stride > 0
             ? static_cast<std::uint32_t>(of.stride)
             : 1;
}
/// Parts of all rounds.
inline std::uint32_t parts_of(const Collective& of) {
  return of.rounds * steps_of(of);
}
/// Whether `from` sends to `to` in part `part`. In slice s of a round rank r sends to r + s and
/// receives from r - s; a step has ranks / steps slices, one behind the other.
inline bool meet_in(const Collective& of, std::uint32_t part, std::uint32_t ranks,
                    std::uint32_t from, std::uint32_t to) {
  const std::uint32_t steps = steps_of(of), slice = (to + ranks - from) % ranks;
  return slice / (ranks / steps) == part % steps;
}

}  // namespace davsim::isa
