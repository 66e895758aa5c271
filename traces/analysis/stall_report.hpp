// Where the time of a launch went, over all cores: cycles by class and source line.
#pragma once

#include <boost/json/fwd.hpp>
#include <vector>

#include "traces/observed.hpp"

namespace davsim::traces {

/// Cycles that one line of the kernel is answerable for on one pipe, over all cores of a type.
struct StallRow {
  isa::CoreType type = isa::CoreType::AIV;
  isa::Pipe pipe = isa::Pipe::S;
  LineCycles line;
};

/// Most cycles first; the classes that no line is answerable for (kLaunch, kDone) are not in it.
/// Empty unless the device keeps lines.
std::vector<StallRow> stall_rows(const LaunchReport& report);

/// One object a row: core type, pipe, class, from, code, set_at, times, cycles.
boost::json::array stall_rows_json(const LaunchReport& report);

}  // namespace davsim::traces
