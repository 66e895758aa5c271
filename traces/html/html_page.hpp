// One HTML page about a run, or about several side by side. It needs neither network nor further
// files. The files in traces/html/page show it; its data are one JSON object.
#pragma once

#include <boost/json/object.hpp>
#include <ostream>
#include <string>

namespace davsim::traces {

/// `data`: title, peaks, and either headline, path, report, timeline and sources, or comparison;
/// docs/traces.md.
void write_html_page(std::ostream& out, const std::string& title, const boost::json::object& data);

}  // namespace davsim::traces
