// The findings as JSON, for tools.
#pragma once

#include <boost/json/array.hpp>

#include "checker/finding.hpp"

namespace davsim::checker {

/// One object for each finding: class, message, count, kernel, space, addr, bytes, tensor, first,
/// second (core, pipe, instruction, access, file, line), and allowed, the reason of a line that
/// silences it or null.
boost::json::array json_of(const Findings& findings);

}  // namespace davsim::checker
