#include "cli/watchers.hpp"

#include <boost/json.hpp>
#include <boost/program_options.hpp>

#include "cli/errors.hpp"
#include "cli/options.hpp"
#include "kernels/registry/file_error.hpp"
#include "traces/explanation.hpp"
#include "traces/report.hpp"

namespace davsim::cli {

namespace json = boost::json;
namespace po = boost::program_options;

std::unique_ptr<ops::PendingFile> pending(const po::variables_map& values,
                                          const std::string& option, std::set<std::string>& paths) {
  if (values.count(option) == 0) return nullptr;
  const std::string path = text_option(values, option);
  if (!paths.insert(path).second) {
    throw UsageError("two options name the same output file '" + path + "'");
  }
  return std::make_unique<ops::PendingFile>(path);
}

void Watchers::add_options(po::options_description_easy_init add) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  add("trace", text("FILE"),
      "write a timeline of every instruction (Chrome trace JSON, for Perfetto, chrome://tracing, "
      "and `davsim explain`)")(
      "explain", po::bool_switch(),
      "say what the launch waited for: its critical path by cause and source line");
}

const std::vector<const char*>& Watchers::timed_options() {
  static const std::vector<const char*> options = {"trace", "explain"};
  return options;
}

Watchers::Watchers(const po::variables_map& values, std::set<std::string>& paths)
    : trace_file_(pending(values, "trace", paths)) {
  if (trace_file_) {
    trace_ = std::make_unique<traces::ChromeTrace>(trace_file_->stream());
    observers_.add(trace_.get());
  }
  if (flag_option(values, "explain")) {
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
  if (!trace_) return;
  try {
    trace_->finish();
  } catch (const std::runtime_error& error) {
    throw ops::FileError(trace_file_->path(), "an output file can be written", error.what());
  }
}

void Watchers::commit() {
  if (trace_file_) trace_file_->commit();
}

std::optional<json::object> Watchers::explanation(const traces::LaunchReport& report) const {
  if (!recorder_) return std::nullopt;
  return traces::explanation_json(traces::report_json(report), recorder_->timeline());
}

}  // namespace davsim::cli
