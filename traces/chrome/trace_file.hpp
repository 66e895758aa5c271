// Reads back what ChromeTrace wrote.
#pragma once

#include <boost/json/object.hpp>
#include <istream>
#include <vector>

#include "traces/timeline/timeline.hpp"

namespace davsim::traces {

struct TracedLaunch {
  Timeline timeline;
  boost::json::object report;  ///< report_json() of the launch
};

/// The launches of a trace, one after the other. An event is a line, as ChromeTrace writes them.
/// Throws std::invalid_argument naming the line where it is not a davsim trace, or not a whole one.
std::vector<TracedLaunch> read_trace(std::istream& stream);

}  // namespace davsim::traces
