#include "sim/soc/system_config.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "sim/soc/soc_description.hpp"

namespace davsim::sim {

/// The contents of sim/soc/systems/*.ini by file name. The build generates this function.
const std::map<std::string, std::string>& builtin_systems();

namespace {

constexpr std::string_view kSystemSuffix = ".ini", kLinkPrefix = "Link.";
constexpr std::uint32_t kMostDies = 1024;

using Units = std::map<std::string_view, double>;
const Units kTimes = {{"ns", 1e-9}, {"us", 1e-6}},
            kByteSizes = {{"bytes", 1}, {"KiB", 1024.0}, {"MiB", 1048576.0}};

/// What a key may be: its units, and the least and the most in the unit of the models.
struct Bounds {
  const Units units;
  double least, most;
  bool whole;
};

/// Beyond these no link or server is, and the models still count in whole numbers.
const std::map<std::string_view, Bounds> kLinkBounds = {
    {"within", {{{"dies", 1}}, 2, 1 << 20, true}},
    {"bandwidth", {{{"GB/s", 1e9}}, 1e6, 1e15, false}},
    {"write_bandwidth", {{{"GB/s", 1e9}}, 1e6, 1e15, false}},
    {"write_latency", {kTimes, 0, 1, false}},
    {"read_latency", {kTimes, 0, 1, false}},
    {"message", {kTimes, 0, 1, false}},
    {"outstanding", {kByteSizes, 1, 1ull << 40, true}}};
const std::map<std::string_view, Bounds> kLaunchBounds = {{"spread", {kTimes, 0, 1, false}}};
const std::map<std::string_view, Bounds> kCollectiveBounds = {
    {"message", {kTimes, 0, 1, false}},
    {"step", {kTimes, 0, 1, false}},
    {"link_share", {{{"share", 1}}, 1e-3, 1, false}},
    {"piece", {kByteSizes, 512, 1ull << 40, true}},
    {"one_shot", {kByteSizes, 0, 1ull << 40, true}},
    {"window", {kByteSizes, 512, 1ull << 40, true}},
    {"server", {{{"dies", 1}}, 2, 1 << 20, true}}};

std::string number_text(double value) {
  char digits[32];
  const bool plain = value == 0 || (value >= 1e-3 && value < 1e15);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::general;
  return {digits, std::to_chars(digits, digits + sizeof digits, value, format).ptr};
}

[[noreturn]] void fail_at(const std::string& where, const std::string& what) {
  throw std::invalid_argument(where + ": " + what);
}

DescriptionFile system_file(const std::string& name) {
  const auto at = builtin_systems().find(name);
  if (at != builtin_systems().end()) return {name, at->second};
  throw std::invalid_argument("there is no description file " + name);
}

const DescriptionValue& key_value(const Description& description, const std::string& section,
                                  const std::string& key) {
  const auto found = description.find(section);
  if (found == description.end()) {
    throw std::invalid_argument("the description has no section [" + section + "]");
  }
  const auto at = found->second.find(key);
  if (at == found->second.end()) {
    throw std::invalid_argument("[" + section + "] " + key + " is missing");
  }
  return at->second;
}

std::uint32_t number_of_dies(const DescriptionValue& text, std::uint32_t most,
                             const std::string& key) {
  std::uint32_t number = 0;
  const char* end = text.text.data() + text.text.size();
  const auto [after, error] = std::from_chars(text.text.data(), end, number);
  if (error != std::errc{} || after != end || number == 0 || number > most) {
    fail_at(text.file_line,
            key + " = " + text.text + ": it is a whole number from 1 to " + std::to_string(most));
  }
  return number;
}

void refuse_unknown_system_keys(const Description& description) {
  static const std::map<std::string, std::vector<std::string>> kKnown = {
      {"System", {"soc", "dies"}},
      {"Launch", {"spread"}},
      {"Collectives",
       {"message", "step", "link_share", "piece", "one_shot", "reduction", "window", "server"}},
      {"Link",
       {"within", "ports", "port", "bandwidth", "write_bandwidth", "write_latency", "read_latency",
        "message", "outstanding"}}};
  for (const auto& [section, keys] : description) {
    const std::string kind = section.starts_with(kLinkPrefix) ? "Link" : section;
    const auto known = kKnown.find(kind);
    for (const auto& [key, text] : keys) {
      if (known == kKnown.end()) fail_at(text.file_line, "unknown section [" + section + "]");
      if (std::find(known->second.begin(), known->second.end(), key) == known->second.end()) {
        fail_at(text.file_line, "unknown key " + key + " in [" + section + "]");
      }
    }
  }
}

}  // namespace

std::vector<std::string> SystemConfig::names() {
  std::vector<std::string> all;
  for (const auto& [file, text] : builtin_systems()) {
    all.push_back(file.substr(0, file.size() - kSystemSuffix.size()));
  }
  return all;
}

SystemConfig SystemConfig::named(std::string_view name) {
  const std::vector<std::string> known = names();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    std::string list;
    for (const std::string& word : known) list += (list.empty() ? "" : ", ") + word;
    throw std::invalid_argument("unknown system " + std::string(name) + "; known are " + list);
  }
  const std::string file = std::string(name) + std::string(kSystemSuffix);
  return {std::string(name), read_description(system_file(file), system_file)};
}

SystemConfig SystemConfig::from_file(const std::string& path) {
  return {std::filesystem::path(path).stem().string(),
          read_description(description_file(path, "system"), system_file)};
}

SystemConfig::SystemConfig(std::string name, const Description& description)
    : name_(std::move(name)) {
  refuse_unknown_system_keys(description);
  soc_ = key_value(description, "System", "soc").text;
  dies_ = number_of_dies(key_value(description, "System", "dies"), kMostDies, "dies");
  for (const auto& [section, keys] : description) {
    if (section.starts_with(kLinkPrefix)) links_.push_back(read_link(description, section));
  }
  std::sort(links_.begin(), links_.end(),
            [](const LinkClass& a, const LinkClass& b) { return a.within < b.within; });
  if (dies_ > 1 && (links_.empty() || links_.back().within < dies_)) {
    throw std::invalid_argument(name_ + ": no class of links reaches all " + std::to_string(dies_) +
                                " dies");
  }
  read_collectives(description);
  if (description.contains("Launch")) constant(description, "Launch", "spread");
}

Constant SystemConfig::constant(const Description& description, const std::string& section,
                                const std::string& key) {
  const DescriptionValue& text = key_value(description, section, key);
  const Bounds& bounds = (section.starts_with(kLinkPrefix) ? kLinkBounds
                          : section == "Launch"            ? kLaunchBounds
                                                           : kCollectiveBounds)
                             .at(key);
  Constant constant = read_constant(text.text, text.file_line);
  constants_[section + "." + key] = constant;
  const auto unit = bounds.units.find(constant.unit);
  if (unit == bounds.units.end()) {
    std::string known;
    for (const auto& [name, factor] : bounds.units) {
      known += (known.empty() ? "" : " or ") + std::string(name);
    }
    fail_at(text.file_line,
            "[" + section + "] " + key + " is in " + known + ", not in " + constant.unit);
  }
  const std::string given = number_text(constant.value);
  constant.value *= unit->second;
  const bool whole = std::floor(constant.value) == constant.value;
  if (constant.value < bounds.least || constant.value > bounds.most || (bounds.whole && !whole)) {
    const auto shown = [&](double value) { return number_text(value / unit->second); };
    fail_at(text.file_line, "[" + section + "] " + key + " is " + given + " " + constant.unit +
                                "; it is " + (bounds.whole ? "a whole number " : "") + "from " +
                                shown(bounds.least) + " to " + shown(bounds.most) + " " +
                                constant.unit +
                                (bounds.whole && unit->second != 1 ? ", of whole bytes" : ""));
  }
  return constant;
}

LinkClass SystemConfig::read_link(const Description& description, const std::string& section) {
  const auto number = [&](const char* key) { return constant(description, section, key).value; };
  LinkClass link;
  link.name = section.substr(kLinkPrefix.size());
  link.within = static_cast<std::uint32_t>(number("within"));
  const DescriptionValue& ports = key_value(description, section, "ports");
  if (ports.text != "peer" && ports.text != "die") {
    fail_at(ports.file_line, "ports = " + ports.text + ": it is `peer`, a link for each pair of " +
                                 "dies, or `die`, one port for all traffic of the class");
  }
  link.port_for_each_peer = ports.text == "peer";
  const auto& keys = description.at(section);
  link.port = keys.contains("port") ? keys.at("port").text : link.name;
  link.bytes_per_second = number("bandwidth");
  link.write_bytes_per_second =
      keys.contains("write_bandwidth") ? number("write_bandwidth") : link.bytes_per_second;
  link.write_seconds = number("write_latency");
  link.read_seconds = number("read_latency");
  link.message_seconds = number("message");
  link.outstanding = static_cast<std::uint64_t>(number("outstanding"));
  return link;
}

void SystemConfig::read_collectives(const Description& description) {
  const std::string section = "Collectives";
  const auto number = [&](const char* key) { return constant(description, section, key).value; };
  collectives_.message_seconds = number("message");
  collectives_.step_seconds = number("step");
  collectives_.link_share = number("link_share");
  collectives_.piece = static_cast<std::uint64_t>(number("piece"));
  collectives_.one_shot = static_cast<std::uint64_t>(number("one_shot"));
  collectives_.window = static_cast<std::uint64_t>(number("window"));
  if (description.at(section).contains("server")) {
    collectives_.server = static_cast<std::uint32_t>(number("server"));
  }
  const DescriptionValue& reduction = key_value(description, section, "reduction");
  collectives_.reduction = reduction.text;
  if (reduction.text != "mesh" && reduction.text != "ring") {
    fail_at(reduction.file_line, "reduction = " + reduction.text + ": it is `mesh` or `ring`");
  }
}

void SystemConfig::use_dies(std::uint32_t dies) {
  if (dies == 0 || dies > dies_) {
    throw std::invalid_argument(name_ + " has " + std::to_string(dies_) + " dies; " +
                                std::to_string(dies) + " of them cannot be used");
  }
  dies_ = dies;
}

const LinkClass& SystemConfig::link(std::uint32_t from, std::uint32_t to) const {
  for (const LinkClass& link : links_) {
    if (from / link.within == to / link.within) return link;
  }
  return links_.back();  // it reaches all dies
}

}  // namespace davsim::sim
