// What a launch reached, for pages and reports of a program whose work nobody has described: the
// work is what the cores did.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "observe/counters.hpp"
#include "sim/soc/soc_config.hpp"

namespace davsim::session {

/// The members of a report of `davsim run` that come from its operator: docs/traces.md, "Reports".
/// `set`: parameters of the SoC that were replaced.
boost::json::object figures(const observe::LaunchReport& report, const sim::SocConfig& soc,
                            const std::vector<std::string>& set);

}  // namespace davsim::session
