// The assignment of the products of a prolog to cube cores.
#pragma once

#include <cstdint>

#include "kernels/prolog/prolog_tiling.h"
#include "sim/soc/soc_config.hpp"

namespace davsim::operators::prolog {

enum class Halves : std::uint8_t { kMla, kIndexer, kBoth };

/// The products of one stage share the cube cores. They end at about the same time.
/// The epsilons are left at 0.
PrologTiling plan(Halves halves, std::int64_t tokens, const sim::SocConfig& soc);

}  // namespace davsim::operators::prolog
