// How fast instructions compute on this host, beside plain loops or library calls that do the same
// to as much data.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <string>
#include <vector>

#include "isa/core/core_sink.hpp"
#include "sim/device/device.hpp"

namespace davsim::bench {

struct Contest {
  std::string name;
  std::function<void()> instructions;  ///< runs on a functional core, within a kernel
  std::function<void()> plain;         ///< the same work on the host, compiled for this very host
};

/// Instructions run at least at this share of the plain code's speed.
inline constexpr double kSpeedBar = 0.5;

/// Times all contests on one core of that type, on which `prepare` has run; the better of several
/// runs each, as others may be using the machine. One object with a ratio (plain time over
/// instructions' time) for each.
boost::json::object run_contests(isa::CoreType type, const std::function<void()>& prepare,
                                 const std::vector<Contest>& contests);

}  // namespace davsim::bench
