// What bounds a launch and what to change, in two sentences: the head of explanations and pages.
#pragma once

#include <boost/json/object.hpp>

namespace davsim::traces {

/// `report`: report_json() of the launch. `path`: path_sums_json() of its critical path. `peaks`:
/// the ceilings of the SoC (FinishedRun::peaks), or empty if they are not known. Members:
///   text    what the critical path consists of, most first; or that the launch is scalar bound
///   path    the same without the sentence about the scalar units
///   change  what makes that shorter
///   type, pipe, share   the pipe that most of the path is about, and its share of the launch
boost::json::object headline_json(const boost::json::object& report,
                                  const boost::json::object& path,
                                  const boost::json::object& peaks);

}  // namespace davsim::traces
