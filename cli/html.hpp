// The pages of `run --html` and `compare --html`.
#pragma once

#include <boost/json/object.hpp>
#include <ostream>
#include <string>

#include "cli/result.hpp"
#include "traces/timeline/timeline.hpp"

namespace davsim::cli {

/// `report`: report_json(result).
void write_run_page(std::ostream& out, const Result& result, const traces::Timeline& timeline);

/// `comparison`: columns (soc, set, status, result or error) and rows of text, a name first.
/// Ceilings are those of `soc`.
void write_comparison_page(std::ostream& out, const std::string& title, const sim::SocConfig& soc,
                           boost::json::object comparison);

}  // namespace davsim::cli
