// Why a launch takes as long as it does, for people: its critical path by cause and source line,
// and the stalls of its pipes.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "traces/analysis/critical_path.hpp"
#include "traces/timeline/timeline.hpp"

namespace davsim::traces {

/// A path added up: steps, causes[], lines[], hand_overs[], cores[], most cycles first. Shares are
/// of `cycles`, those of the launch.
boost::json::object path_sums_json(const Timeline& timeline, const std::vector<PathStep>& path,
                                   Cycle cycles);

/// `report`: report_json() of the launch, with lines. Members:
///   soc, kernel, cycles, time_us
///   headline       what bounds the launch, and what to change: traces/analysis/headline.hpp
///   critical_path  steps, causes[], lines[], hand_overs[], cores[], path[]: most cycles first, the
///                  path in the order of time
///   stalls[]       of the pipes of all cores, by cause and source line
/// Shares are of the cycles of the launch.
boost::json::object explanation_json(const boost::json::object& report, const Timeline& timeline);

/// Entries of each list that are printed unless somebody asks for another number.
inline constexpr std::size_t kExplanationRows = 12;

/// The `top` entries of each list, as text.
std::string explanation_text(const boost::json::object& explanation, std::size_t top);

}  // namespace davsim::traces
