// What passed the ports of a system, as traces show it.
#pragma once

#include <string>
#include <vector>

#include "sim/system/communicators.hpp"
#include "traces/port_pass.hpp"

namespace davsim::session {

/// The name of a port's row: "hccs out to die3".
std::string port_name(const sim::LinkCounters& port);

/// `uses` as Communicators::link_uses() gives them.
std::vector<traces::PortPass> link_passes(const std::vector<sim::LinkUse>& uses);

}  // namespace davsim::session
