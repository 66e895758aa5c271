// The trace of a system's links: a process for each die, a track for each of its ports and
// directions, an event for each transfer. chrome://tracing and Perfetto read it.
#pragma once

#include <iosfwd>
#include <vector>

#include "sim/system/communicators.hpp"

namespace davsim::cli {

/// `uses` as Communicators::link_uses() gives them. Times are microseconds from cycle 0 at `mhz`.
void write_link_trace(std::ostream& out, const std::vector<sim::LinkUse>& uses, double mhz);

}  // namespace davsim::cli
