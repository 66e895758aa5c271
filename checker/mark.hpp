// A mark of eight bytes: the access that touched some bytes last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instr/opcode.hpp"

namespace davsim::checker {

/// The number of an access, in the order of the run. 0 is before all accesses.
using Stamp = std::uint32_t;

/// An agent makes its accesses in order: a pipe of a core, or the loads of its scalar unit.
using Agent = std::uint16_t;
inline constexpr std::uint32_t kAgentsPerCore = 8;
/// A mark has fifteen bits for its agent.
inline constexpr std::uint32_t kMostCores = 4096;
/// The place of scalar loads among a core's agents. A load has ended before the scalar unit
/// dispatches the next instruction. A store may not have ended by then. Stores therefore belong to
/// the agent of pipe S.
inline constexpr std::uint32_t kScalarLoads = 7;

constexpr Agent agent_of(std::uint32_t core, std::uint32_t place) {
  return static_cast<Agent>(core * kAgentsPerCore + place);
}
constexpr std::uint32_t core_of(Agent agent) {
  return agent / kAgentsPerCore;
}
constexpr std::uint32_t place_of(Agent agent) {
  return agent % kAgentsPerCore;
}
constexpr isa::Pipe pipe_of(Agent agent) {
  return place_of(agent) == kScalarLoads ? isa::Pipe::S : static_cast<isa::Pipe>(place_of(agent));
}

/// The property of an access that makes it compatible with others.
enum Trait : std::uint16_t {
  kPlain = 0,
  kAtomicAdd = 1,  ///< additions, maxima, minima: each commutes with its like
  kAtomicMax = 2,
  kAtomicMin = 3,
  kAtomicBits = 3,
  kLongMmad = 4,  ///< the next Mmad on its result need not wait
};

/// Source lines that a mark can name.
inline constexpr std::size_t kMostSites = std::size_t{1} << 14;

/// One access. Stamp 0 means that no access has touched the bytes.
struct Mark {
  Stamp stamp = 0;
  std::uint32_t agent : 15 = 0;
  std::uint32_t traits : 3 = 0;
  std::uint32_t site : 14 = 0;  ///< see Sites

  friend bool operator==(const Mark&, const Mark&) = default;
};
static_assert(sizeof(Mark) == 8);

}  // namespace davsim::checker
