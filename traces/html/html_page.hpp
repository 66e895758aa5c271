// One HTML page about a run, or about several side by side. It needs neither network nor further
// files. The files in traces/html/page show it; its data are one JSON object.
#pragma once

#include <boost/json/object.hpp>
#include <ostream>
#include <string>

#include "traces/timeline/timeline.hpp"

namespace davsim::traces {

/// `data`: title, peaks, and either report, timeline and sources, or comparison; docs/traces.md.
void write_html_page(std::ostream& out, const std::string& title, const boost::json::object& data);

/// A timeline as the page takes it: start, end, texts, and for each core its pipes, six numbers an
/// event: start after the event before, length, name, line, kind, instructions. Beyond `most`
/// events, runs of short events become one, the shortest first; `merged` says whether that
/// happened.
boost::json::object html_timeline(const Timeline& timeline, std::size_t most);

}  // namespace davsim::traces
