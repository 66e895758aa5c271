// Whether a launch waits for its scalar units: the kernel's own code and the issue of its
// instructions take longer than what the pipes do with them.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "traces/observed.hpp"

namespace davsim::traces {

struct ScalarBound {
  struct Line {
    std::string code;  ///< "/path/add.cpp:41"
    double share = 0;  ///< of the scalar units' work
  };
  isa::CoreType type = isa::CoreType::AIV;
  /// Of the time of the cores of this type, without the waits for blocks and for the launch's end.
  double share = 0;
  /// The lines that cause most of it, at most three; empty unless the device keeps lines.
  std::vector<Line> lines;
};

/// A launch is scalar bound if on the cores of a type the scalar units work for at least half of
/// their time, and longer than any of the pipes has instructions in flight.
std::optional<ScalarBound> scalar_bound(const LaunchReport& report);

/// One line that ends with a line break; null without a value: {"type", "share", "lines": [{"code",
/// "share"}]}.
std::string scalar_bound_text(const ScalarBound& bound);
boost::json::value scalar_bound_json(const std::optional<ScalarBound>& bound);
/// What scalar_bound_json() has written.
std::optional<ScalarBound> scalar_bound_of(const boost::json::value& value);

}  // namespace davsim::traces
