// Scalar work that the kernel of a core has counted and the core has not taken yet. It is put away
// while other cores run, because a call may suspend the kernel before the core takes the counts.
#pragma once

#include <array>
#include <cstdint>

#include "isa/core/scalar_work.hpp"

namespace davsim::isa {

struct KeptScalarWork {
  std::array<std::uint64_t, kScalarWords> words{};
  std::array<std::uint16_t, kScalarCalls> calls{};
  bool called = false;
};

/// Returns the counts of the running core, and sets them to 0.
KeptScalarWork put_away_scalar_work();
/// Makes `kept` the counts of the running core. Those of the core before are dropped: it has ended.
void resume_scalar_work(const KeptScalarWork& kept);

}  // namespace davsim::isa
