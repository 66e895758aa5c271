#include "cli/html.hpp"

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "cli/roofline.hpp"
#include "traces/html/html_page.hpp"

namespace davsim::cli {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// Some 12 bytes each: a page stays below ten megabytes or so.
constexpr std::size_t kMostEvents = 400'000;
constexpr std::uintmax_t kMostSource = 1u << 20;

json::object peaks_json(const sim::SocConfig& soc) {
  const Peaks peaks(soc);
  return {{"cube_16bit", peaks.cube_16bit},
          {"cube_8bit", peaks.cube_8bit},
          {"cube_32bit", peaks.cube_32bit},
          {"vector", peaks.vector},
          {"hbm", peaks.hbm},
          {"l2", peaks.l2}};
}

/// Compilers name files as they were called: from the build folder, in which the program is one
/// below.
std::optional<fs::path> found(const fs::path& file) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& base :
       {fs::path(), program.parent_path().parent_path(), program.parent_path()}) {
    const fs::path path = base / file;
    if (fs::is_regular_file(path, error) && fs::file_size(path, error) <= kMostSource) return path;
  }
  return std::nullopt;
}

json::array lines_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  json::array lines;
  for (std::string line; std::getline(stream, line);) lines.emplace_back(line);
  return lines;
}

/// Text of every file that a line of the report is in, as far as they can be read.
json::object sources_of(const json::object& report) {
  json::object sources;
  for (const json::value& line : report.at("lines").as_array()) {
    const json::value* code = line.as_object().if_contains("code");
    if (code == nullptr) continue;
    const std::string place = code->as_string().c_str();
    const std::string file = place.substr(0, place.rfind(':'));
    if (sources.contains(file)) continue;
    const auto path = found(file);
    sources[file] = path ? json::value(lines_of(*path)) : json::value();
  }
  return sources;
}

std::string title_of(const Result& result) {
  return result.op->info().name + (result.case_id.empty() ? "" : " " + result.case_id);
}

}  // namespace

void write_run_page(std::ostream& out, const Result& result, const traces::Timeline& timeline) {
  json::object report = report_json(result);
  json::object sources = sources_of(report);
  traces::write_html_page(out, title_of(result) + " on " + result.soc->name(),
                          {{"title", title_of(result)},
                           {"peaks", peaks_json(*result.soc)},
                           {"report", std::move(report)},
                           {"timeline", traces::html_timeline(timeline, kMostEvents)},
                           {"sources", std::move(sources)}});
}

void write_comparison_page(std::ostream& out, const std::string& title, const sim::SocConfig& soc,
                           json::object comparison) {
  traces::write_html_page(
      out, title,
      {{"title", title}, {"peaks", peaks_json(soc)}, {"comparison", std::move(comparison)}});
}

}  // namespace davsim::cli
