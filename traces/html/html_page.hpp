// One self-contained HTML page about a run, or about several side by side: no network, no files
// beside it. What it shows is in traces/html/, what it is about is one JSON object.
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
/// events, runs of short ones become one, the shortest first; `merged` says whether that was so.
boost::json::object html_timeline(const Timeline& timeline, std::size_t most);

}  // namespace davsim::traces
