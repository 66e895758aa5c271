// --html: a report of the run as one page for a browser.
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <optional>

#include "traces/analysis/explanation.hpp"
#include "traces/analysis/headline.hpp"
#include "traces/exporter.hpp"
#include "traces/html/html_data.hpp"
#include "traces/html/html_page.hpp"

namespace davsim::traces {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::uintmax_t kMostSource = 1u << 20;

/// The source file that the compiler was given under this name. Names are relative to the build
/// folder; the program is in a folder of it.
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

/// The text of every file that the report has lines of; null for a file that cannot be read.
json::object sources_of(const json::object& report) {
  json::object sources;
  for (const json::value& line : report.at("lines").as_array()) {
    const json::value* at = line.as_object().if_contains("code");
    if (at == nullptr) continue;
    const std::string place = at->as_string().c_str();
    const std::string file = place.substr(0, place.rfind(':'));
    if (sources.contains(file)) continue;
    const auto path = found(file);
    sources[file] = path ? json::value(lines_of(*path)) : json::value();
  }
  return sources;
}

class HtmlReport : public Export {
 public:
  HtmlReport(std::ostream& stream, const Timeline& timeline)
      : stream_(stream), timeline_(timeline) {}

  Observer* observer() override { return &recorder_; }

  void finish(const FinishedRun& run) override {
    const std::vector<PathStep> steps = critical_path(timeline_);
    json::object path = path_sums_json(timeline_, steps, timeline_.end - timeline_.start);
    json::object headline = headline_json(run.report, path, run.peaks);
    write_html_page(stream_, run.title + " on " + run.report.at("soc").as_string().c_str(),
                    {{"title", run.title},
                     {"headline", std::move(headline)},
                     {"path", std::move(path)},
                     {"peaks", run.peaks},
                     {"report", run.report},
                     {"timeline", html_timeline(timeline_, recorder_, run.memories, steps, {})},
                     {"sources", sources_of(run.report)}});
  }

 private:
  std::ostream& stream_;
  const Timeline& timeline_;
  HtmlRecorder recorder_;
};

const ExporterRegistrar g_html({
    .name = "html",
    .value_name = "FILE",
    .help = "write a report to look at in a browser, one page that needs no network: what bounds "
            "the launch, critical path, timeline of all cores, roofline, bytes by tensor, source "
            "lines",
    .target = ExportTarget::kFile,
    .needs_timeline = true,
    .needs_lines = true,
    .place = 50,
    .make = [](const ExportContext& context) -> std::unique_ptr<Export> {
      return std::make_unique<HtmlReport>(*context.stream, *context.timeline);
    },
});

}  // namespace
}  // namespace davsim::traces
