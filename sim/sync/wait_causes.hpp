// Why the flag that a deadlock waits for was not raised: who should have set it, and what was set
// instead.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/sync/cross_core_flags.hpp"
#include "sim/sync/event_flags.hpp"
#include "sim/sync/wait_graph.hpp"

namespace davsim::sim {

/// About a wait for an event flag that no set is on its way for. `raised`: flags of the core that
/// are set and not awaited.
std::string explain_event(const WaitPoint& point, const std::vector<EventFlags::Raised>& raised);

/// About a wait for a cross-core flag. `flags` and `place`, the core's number in them, are of its
/// die; `name_of` gives the name of a core by that number.
std::string explain_cross_core(const WaitPoint& point, const CrossCoreFlags& flags,
                               std::uint32_t place,
                               const std::function<std::string(std::uint32_t)>& name_of);

}  // namespace davsim::sim
