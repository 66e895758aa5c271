#include "cli/watchers.hpp"

#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <filesystem>

#include "cli/errors.hpp"
#include "cli/options.hpp"
#include "io/file_error.hpp"
#include "traces/analysis/explanation.hpp"
#include "traces/report/report.hpp"

namespace davsim::cli {

namespace json = boost::json;
namespace po = boost::program_options;

namespace {

/// The file that `path` leads to, however it is written.
std::string identity_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string whole = fs::weakly_canonical(fs::absolute(path), error).string();
  return error || whole.empty() ? path : whole;
}

/// A PendingFile or PendingDirectory.
template <class Pending>
std::unique_ptr<Pending> pending_output(const po::variables_map& values, const std::string& option,
                                        std::set<std::string>& paths) {
  if (values.count(option) == 0) return nullptr;
  const std::string path = text_option(values, option);
  if (!paths.insert(identity_of(path)).second) {
    throw UsageError("two options name the same output file '" + path + "'");
  }
  return std::make_unique<Pending>(path);
}

}  // namespace

std::unique_ptr<io::PendingFile> pending(const po::variables_map& values, const std::string& option,
                                         std::set<std::string>& paths) {
  return pending_output<io::PendingFile>(values, option, paths);
}

void Watchers::add_options(po::options_description_easy_init add) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  add("trace", text("FILE"),
      "write a timeline of every instruction (Chrome trace JSON, for Perfetto, chrome://tracing, "
      "and `davsim explain`); packed by gzip if the name ends in .gz")(
      "msprof", text("DIR"),
      "write timelines and tables in the folder layout of the vendor's "
      "operator simulator (msprof); "
      "DIR must not exist or be empty")(
      "vcd", text("FILE"),
      "write waveforms, for GTKWave: the state of every pipe, what waits in its queue and what it "
      "has in flight")(
      "html", text("FILE"),
      "write a report to look at in a browser, one page that needs no network: roofline, where the "
      "cycles went, timeline, memory paths, hot source lines")(
      "explain", po::bool_switch(),
      "say what the launch waited for: its critical path by cause and source line");
}

const std::vector<const char*>& Watchers::timed_options() {
  static const std::vector<const char*> options = {"trace", "msprof", "vcd", "html", "explain"};
  return options;
}

Watchers::Watchers(const po::variables_map& values, std::set<std::string>& paths)
    : trace_file_(pending_output<io::TextFile>(values, "trace", paths)),
      msprof_folder_(pending_output<io::PendingDirectory>(values, "msprof", paths)),
      vcd_file_(pending_output<io::TextFile>(values, "vcd", paths)) {
  if (trace_file_) {
    trace_ = std::make_unique<traces::ChromeTrace>(trace_file_->stream());
    background_ = std::make_unique<traces::BackgroundObserver>(*trace_);
    observers_.add(background_.get());
  }
  if (msprof_folder_) {
    msprof_ = std::make_unique<traces::MsprofExport>(
        [this](const std::string& name) -> std::ostream& { return msprof_folder_->file(name); });
    observers_.add(msprof_.get());
  }
  if (vcd_file_) {
    vcd_ = std::make_unique<traces::VcdExport>(vcd_file_->stream());
    observers_.add(vcd_.get());
  }
  explain_ = flag_option(values, "explain");
  if (explain_ || values.count("html") > 0) {
    recorder_ = std::make_unique<traces::TimelineRecorder>();
    observers_.add(recorder_.get());
  }
}

Watchers::Attached::Attached(sim::Device& device, Watchers& watchers) : device_(device) {
  if (!watchers.observers_.empty()) device.attach(&watchers.observers_);
}

Watchers::Attached::~Attached() {
  device_.attach(nullptr);
}

void Watchers::finish() {
  if (msprof_) msprof_->finish();
  if (vcd_) vcd_->finish();
  if (!trace_) return;
  try {
    background_->finish();
    trace_->finish();
  } catch (const std::runtime_error& error) {
    throw io::FileError(trace_file_->path(), "an output file can be written", error.what());
  }
}

void Watchers::commit() {
  if (trace_file_) trace_file_->commit();
  if (msprof_folder_) msprof_folder_->commit();
  if (vcd_file_) vcd_file_->commit();
}

std::vector<std::pair<std::string, std::string>> Watchers::outputs() const {
  std::vector<std::pair<std::string, std::string>> outputs;
  if (trace_file_) outputs.emplace_back("trace", trace_file_->path());
  if (msprof_folder_) outputs.emplace_back("msprof", msprof_folder_->path());
  if (vcd_file_) outputs.emplace_back("vcd", vcd_file_->path());
  return outputs;
}

std::optional<json::object> Watchers::explanation(const observe::LaunchReport& report) const {
  if (!explain_) return std::nullopt;
  return traces::explanation_json(traces::report_json(report), recorder_->timeline());
}

const traces::Timeline& Watchers::timeline() const {
  static const traces::Timeline none;
  return recorder_ ? recorder_->timeline() : none;
}

}  // namespace davsim::cli
