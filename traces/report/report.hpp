// A launch's counters for people and programs.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "traces/observed.hpp"

namespace davsim::traces {

/// Everything a report holds; docs/traces.md lists the members. Cycles are core cycles, times
/// microseconds, sizes bytes; a utilization is busy cycles over the cycles of the launch.
boost::json::object report_json(const LaunchReport& report);

/// A table of the pipes, averaged over the cores of each type, and what the memories moved.
std::string report_text(const LaunchReport& report);

}  // namespace davsim::traces
