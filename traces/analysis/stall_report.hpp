// Where the time of a launch went, over all cores: cycles by class and source line.
#pragma once

#include <boost/json/fwd.hpp>
#include <vector>

#include "traces/observed.hpp"

namespace davsim::traces {

/// Cycles of one pipe that belong to one line of the kernel, over all cores of a type.
struct StallRow {
  isa::CoreType type = isa::CoreType::AIV;
  isa::Pipe pipe = isa::Pipe::S;
  LineCycles line;
};

/// Most cycles first. The classes kLaunch and kDone belong to no line and are left out. Empty
/// unless the device keeps lines.
std::vector<StallRow> stall_rows(const LaunchReport& report);

/// One object a row: core type, pipe, class, from, code, set_at, times, cycles.
boost::json::array stall_rows_json(const LaunchReport& report);

}  // namespace davsim::traces
