#include "session/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "session/chosen_soc.hpp"
#include "session/chosen_system.hpp"
#include "session/given_options.hpp"

namespace davsim::session {
namespace {

using traces::Exporter;
using traces::ExportTarget;

constexpr std::uint64_t kDefaultHostTimeout = 600, kMostHostTimeout = 100'000'000;

bool flag(GivenOptions& given, const std::string& name) {
  const std::string value = given.text(name);
  if (value.empty() || value == "0") return false;
  if (value == "1") return true;
  throw WrongChoice(given.called(name) + " is '" + value + "'; it is 0 or 1");
}

std::uint64_t number(GivenOptions& given, const std::string& name, std::uint64_t otherwise) {
  const std::string value = given.text(name);
  if (value.empty()) return otherwise;
  std::uint64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stop != end) {
    throw WrongChoice(given.called(name) + " is '" + value + "', which is no whole number");
  }
  return number;
}

/// A path; %p in it is the number of the process, for programs of several.
std::string path(GivenOptions& given, const std::string& name) {
  std::string value = given.text(name);
  const std::string id = std::to_string(getpid());
  for (std::size_t at = 0; (at = value.find("%p", at)) != std::string::npos; at += id.size()) {
    value.replace(at, 2, id);
  }
  return value;
}

std::vector<ExportRequest> exports(GivenOptions& given) {
  std::vector<ExportRequest> requests;
  for (const Exporter* exporter : traces::exporters()) {
    if (exporter->target == ExportTarget::kNone) {
      if (flag(given, exporter->name)) requests.push_back({exporter, ""});
      continue;
    }
    const std::string file = path(given, exporter->name);
    if (!file.empty()) requests.push_back({exporter, file});
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

void refuse_shared_files(const Settings& settings, const GivenOptions& given) {
  std::vector<std::string> paths;
  for (const ExportRequest& request : settings.exports) paths.push_back(request.path);
  paths.push_back(settings.report);
  std::erase(paths, "");
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice == paths.end()) return;
  throw WrongChoice("two " + given.kind() + " name the same output file '" + *twice + "'");
}

void read_limits(Settings& settings, GivenOptions& given) {
  settings.device.max_cycles = number(given, "max-cycles", 0);
  settings.host_timeout = number(given, "host-timeout", kDefaultHostTimeout);
  settings.host_timeout_option = given.called("host-timeout");
  if (settings.host_timeout > kMostHostTimeout) {
    throw WrongChoice(settings.host_timeout_option + " is " +
                      std::to_string(settings.host_timeout) + "; it is at most " +
                      std::to_string(kMostHostTimeout) + " s");
  }
  const std::uint64_t threads = number(given, "threads", 2);
  if (threads != 1 && threads != 2) {
    throw WrongChoice(given.called("threads") + " is '" + std::to_string(threads) +
                      "'; it is 1 or 2");
  }
  settings.device.threads = static_cast<std::uint32_t>(threads);
}

/// Refuses what asks for time where there is none.
void look_at_exports(Settings& settings, const GivenOptions& given) {
  settings.device.lines = !settings.report.empty();
  const bool timed = settings.device.mode == sim::Mode::kTimed;
  for (const ExportRequest& request : settings.exports) {
    settings.device.lines = settings.device.lines || request.exporter->needs_lines;
    if (timed) continue;
    throw WrongChoice(given.called("functional") + " has no time: " +
                      given.called(request.exporter->name) + " means nothing with it");
  }
  if (!timed && settings.device.max_cycles > 0) {
    throw WrongChoice(given.called("functional") + " has no time: " + given.called("max-cycles") +
                      " means nothing with it");
  }
}

Settings settings_of(GivenOptions& given, const std::string& otherwise) {
  Settings settings;
  settings.soc = given.text("soc");
  settings.system = given.text("system");
  if (settings.soc.empty() && settings.system.empty()) settings.soc = otherwise;
  for (const std::string& text : given.texts("set")) {
    for (std::string& part : parts(text)) settings.set.push_back(std::move(part));
  }
  settings.set_option = given.called("set");
  settings.check_numbers = flag(given, "check-numbers");
  settings.check = flag(given, "check") || settings.check_numbers;
  settings.check_option = given.as_switch("check");
  settings.report = path(given, "report");
  settings.exports = exports(given);
  if (flag(given, "functional")) settings.device.mode = sim::Mode::kFunctional;
  read_limits(settings, given);
  look_at_exports(settings, given);
  refuse_shared_files(settings, given);
  given.warn_of_unknown();
  return settings;
}

}  // namespace

Settings settings_from_environment() {
  GivenOptions given;
  return settings_of(given, kDefaultSoc);
}

Settings settings_from_arguments(int& argc, char** argv, const std::string& otherwise) {
  std::vector<std::string> switches = {"check", "check-numbers", "functional"};
  std::vector<std::string> valued = {"soc",        "system",       "set",    "report",
                                     "max-cycles", "host-timeout", "threads"};
  for (const Exporter* exporter : traces::exporters()) {
    (exporter->target == ExportTarget::kNone ? switches : valued).push_back(exporter->name);
  }
  GivenOptions given(argc, argv, switches, valued);
  return settings_of(given, otherwise);
}

std::string settings_help() {
  std::string text =
      "  --soc SOC            SoC to run on, by name or description file\n"
      "  --system SYSTEM      several dies, by name or description file\n"
      "  --set NAME=VALUE     replace a parameter of the SoC; may be repeated\n"
      "  --functional         compute the results only, without time\n"
      "  --check              look for races and other mistakes (docs/checker.md)\n"
      "  --check-numbers      the same, and for NaN, infinity and saturating casts\n"
      "  --max-cycles N       stop a launch after N simulated cycles\n"
      "  --host-timeout S     end the program after S seconds in one launch; 0: never; default "
      "600\n"
      "  --threads 1|2        threads of the host that simulate\n"
      "  --report FILE        everything that was counted, as JSON\n";
  constexpr std::size_t kColumn = 23;
  for (const Exporter* exporter : traces::exporters()) {
    std::string option = "  --" + exporter->name + " " + exporter->value_name;
    option.resize(std::max(kColumn, option.size() + 1), ' ');
    text += option + exporter->help.substr(0, exporter->help.find_first_of(":;(")) + "\n";
  }
  return text;
}

namespace {

/// A system of one die, which has no links.
sim::SystemConfig alone(const sim::SocConfig& soc) {
  sim::SystemConfig system =
      sim::SystemConfig::named(soc.product() == "A3" ? "ascend_910c" : "atlas_a2_server");
  system.use_dies(1);
  return system;
}

}  // namespace

std::unique_ptr<sim::Device> make_device(const Settings& settings,
                                         const std::map<std::string, std::string>& models) {
  std::optional<sim::SystemConfig> system;
  if (!settings.system.empty()) system = chosen_system(settings.system);
  const std::string soc = settings.soc.empty() ? system->soc() : settings.soc;
  sim::SocConfig config = chosen_soc(soc, settings.set, settings.set_option);
  for (const auto& [kind, model] : models) config.set("Models", kind, model);
  if (!system && settings.communicators) system = alone(config);
  if (!system) return std::make_unique<sim::Device>(std::move(config), settings.device);
  return std::make_unique<sim::Device>(std::move(config), *system, settings.device);
}

}  // namespace davsim::session
