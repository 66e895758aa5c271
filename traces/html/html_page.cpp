#include "traces/html/html_page.hpp"

#include <boost/json.hpp>
#include <map>
#include <string_view>

#include "traces/output/json_output.hpp"
#include "traces/output/markup.hpp"

namespace davsim::traces {

/// Contents of traces/html/page and of uPlot by file name; generated at build time.
const std::map<std::string, std::string>& html_files();

namespace {

/// Each uses only those before it, but for what functions call.
constexpr const char* kScripts[] = {
    "model.js",    "paint.js",    "base.js",      "view.js",     "canvas.js", "overview.js",
    "timeline.js", "search.js",   "bandwidth.js", "headline.js", "path.js",   "cycles.js",
    "memory.js",   "ceilings.js", "sources.js",   "compare.js",  "main.js"};

/// JSON inside a script element must not contain the end of the element.
std::string script_data(const boost::json::object& data) {
  const std::string text = boost::json::serialize(data);
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

std::string scripts() {
  std::string all;
  for (const char* name : kScripts) all += html_files().at(name);
  return all;
}

/// uPlot draws the bandwidth over time. Its licence asks for its text in every copy.
std::string library() {
  return "/*\n" + html_files().at("LICENSE") + "*/\n" + html_files().at("uPlot.iife.min.js");
}

}  // namespace

void write_html_page(std::ostream& out, const std::string& title, const boost::json::object& data) {
  const std::map<std::string_view, std::string> parts = {
      {"TITLE", markup_escaped(title)},
      {"STYLE", html_files().at("uPlot.min.css") + html_files().at("page.css")},
      {"DATA", script_data(data)},
      {"LIBRARY", library()},
      {"SCRIPT", scripts()}};
  JsonOutput text(out);  // names and sources from outside may be no UTF-8
  std::string_view rest = html_files().at("page.html");
  for (std::size_t at; (at = rest.find('@')) != std::string_view::npos;) {
    const std::size_t end = rest.find('@', at + 1);
    text.raw(rest.substr(0, at));
    text.raw_utf8(parts.at(rest.substr(at + 1, end - at - 1)));
    text.spill();
    rest.remove_prefix(end + 1);
  }
  text.raw(rest);
  text.flush();
}

}  // namespace davsim::traces
