#include "runtime/core/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "session/chosen_soc.hpp"
#include "session/suggest.hpp"

namespace davsim::runtime {
namespace {

using session::WrongChoice;
using traces::Exporter;
using traces::ExportTarget;

const std::string kPrefix = "DAVSIM_";

/// Reads variables and remembers which there are.
class Environment {
 public:
  std::string text(const std::string& name) {
    known_.push_back(name);
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? "" : value;
  }
  bool flag(const std::string& name) {
    const std::string value = text(name);
    if (value.empty() || value == "0") return false;
    if (value == "1") return true;
    throw WrongChoice(name + " is '" + value + "'; it is 0 or 1");
  }
  std::uint64_t number(const std::string& name, std::uint64_t otherwise) {
    const std::string value = text(name);
    if (value.empty()) return otherwise;
    std::uint64_t number = 0;
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || stop != end) {
      throw WrongChoice(name + " is '" + value + "', which is no whole number");
    }
    return number;
  }
  /// A path; %p in it is the number of the process, for programs of several.
  std::string path(const std::string& name) {
    std::string value = text(name);
    const std::string id = std::to_string(getpid());
    for (std::size_t at = 0; (at = value.find("%p", at)) != std::string::npos; at += id.size()) {
      value.replace(at, 2, id);
    }
    return value;
  }
  /// Variables of the other programs of davsim are none of a user's slips.
  void warn_of_unknown() {
    known_.emplace_back("DAVSIM_CC_CACHE");
    known_.emplace_back("DAVSIM_CXX");
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string variable(*entry);
      const std::string name = variable.substr(0, variable.find('='));
      if (!name.starts_with(kPrefix)) continue;
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      const std::string hint = session::did_you_mean(name, known_);
      if (hint.empty()) continue;
      std::fprintf(stderr, "davsim: warning: nothing reads the variable %s%s\n", name.c_str(),
                   hint.c_str());
    }
  }

 private:
  std::vector<std::string> known_;
};

std::string variable_of(const Exporter& exporter) {
  std::string name = kPrefix + exporter.name;
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return name;
}

std::vector<session::ExportRequest> exports(Environment& environment) {
  std::vector<session::ExportRequest> requests;
  for (const Exporter* exporter : traces::exporters()) {
    const std::string name = variable_of(*exporter);
    if (exporter->target == ExportTarget::kNone) {
      if (environment.flag(name)) requests.push_back({exporter, ""});
      continue;
    }
    const std::string path = environment.path(name);
    if (!path.empty()) requests.push_back({exporter, path});
  }
  return requests;
}

/// "l2.size=96MiB;clock=1.5GHz" in its parts.
std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(';', from), text.size());
    if (end > from) all.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return all;
}

void refuse_shared_files(const Settings& settings) {
  std::vector<std::string> paths;
  for (const session::ExportRequest& request : settings.exports) paths.push_back(request.path);
  paths.push_back(settings.report);
  std::erase(paths, "");
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice == paths.end()) return;
  throw WrongChoice("two variables name the same output file '" + *twice + "'");
}

}  // namespace

Settings settings_from_environment() {
  Environment environment;
  Settings settings;
  settings.soc = environment.text("DAVSIM_SOC");
  settings.system = environment.text("DAVSIM_SYSTEM");
  if (settings.soc.empty() && settings.system.empty()) settings.soc = session::kDefaultSoc;
  settings.set = parts(environment.text("DAVSIM_SET"));
  settings.check_numbers = environment.flag("DAVSIM_CHECK_NUMBERS");
  settings.check = environment.flag("DAVSIM_CHECK") || settings.check_numbers;
  settings.report = environment.path("DAVSIM_REPORT");
  settings.exports = exports(environment);
  if (environment.flag("DAVSIM_FUNCTIONAL")) settings.device.mode = sim::Mode::kFunctional;
  settings.device.max_cycles = environment.number("DAVSIM_MAX_CYCLES", 0);
  const std::uint64_t threads = environment.number("DAVSIM_THREADS", 2);
  if (threads != 1 && threads != 2) {
    throw WrongChoice("DAVSIM_THREADS is '" + std::to_string(threads) + "'; it is 1 or 2");
  }
  settings.device.threads = static_cast<std::uint32_t>(threads);
  settings.device.lines = !settings.report.empty();
  for (const session::ExportRequest& request : settings.exports) {
    settings.device.lines = settings.device.lines || request.exporter->needs_lines;
    if (settings.device.mode == sim::Mode::kTimed) continue;
    throw WrongChoice("DAVSIM_FUNCTIONAL has no time: " + variable_of(*request.exporter) +
                      " means nothing with it");
  }
  if (settings.check && !settings.system.empty()) {
    throw WrongChoice("DAVSIM_CHECK looks at one die, DAVSIM_SYSTEM has several");
  }
  refuse_shared_files(settings);
  environment.warn_of_unknown();
  return settings;
}

}  // namespace davsim::runtime
