// Which cube core carries out what of a prolog.
#pragma once

#include <cstdint>

#include "kernels/prolog/prolog_tiling.h"
#include "sim/soc/soc_config.hpp"

namespace davsim::operators::prolog {

enum class Halves : std::uint8_t { kMla, kIndexer, kBoth };

/// Products of one stage share the cube cores so that they end at about the same time.
/// The epsilons are left at 0.
PrologTiling plan(Halves halves, std::int64_t tokens, const sim::SocConfig& soc);

}  // namespace davsim::operators::prolog
