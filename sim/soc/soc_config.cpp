#include "sim/soc/soc_config.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "memory/model_registry.hpp"
#include "sim/soc/core_spec.hpp"
#include "sim/soc/soc_description.hpp"
#include "sim/soc/soc_limits.hpp"

namespace davsim::sim {

/// The contents of sim/soc/*.ini by file name. The build generates this function.
const std::map<std::string, std::string>& builtin_descriptions();

namespace {

constexpr std::string_view kSuffix = ".ini";

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

DescriptionFile builtin_file(const std::string& name) {
  const auto at = builtin_descriptions().find(name);
  if (at != builtin_descriptions().end()) return {name, at->second};
  std::vector<std::string> known;
  for (const auto& [file, text] : builtin_descriptions()) known.push_back(file);
  throw std::invalid_argument("there is no description file " + name + "; built in are " +
                              list(known));
}

/// The built-in descriptions have every key that exists. Any other key in a user's file is an
/// error, because it would silently change nothing.
void refuse_unknown_keys(const Description& description) {
  const auto sections = SocConfig::named(SocConfig::names().front()).sections();
  for (const auto& [section, keys] : description) {
    const auto known = sections.find(section);
    for (const auto& [key, value] : keys) {
      if (known == sections.end()) {
        throw std::invalid_argument(value.file_line + ": unknown section [" + section + "]");
      }
      if (!known->second.contains(key)) {
        throw std::invalid_argument(value.file_line + ": unknown key " + key + " in [" + section +
                                    "]");
      }
      if (!is_timing_section(section)) continue;
      const std::string unit = read_constant(known->second.at(key), key).unit;
      if (read_constant(value.text, value.file_line).unit != unit) {
        throw std::invalid_argument(value.file_line + ": [" + section + "] " + key + " = " +
                                    value.text + ": the unit must be " + unit);
      }
    }
  }
}

/// Refuses a timing constant that the models cannot count with.
void require_range(const std::string& section, const std::string& key, const std::string& text,
                   const std::string& file_line) {
  if (!is_timing_section(section)) return;
  try {
    require_in_range(section, key, read_constant(text, file_line));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(file_line + ": [" + section + "] " + key + " = " + text + ": " +
                                error.what());
  }
}

/// Refuses sizes that the caches and queues of a core are not built for.
void check_caches(const SocConfig& soc) {
  constexpr double kMostQueued = 64;  // entries of a pipe's queue
  constexpr double kMostLine = 64;    // bytes; each has a dirty bit in a 64-bit word
  const auto value = [&](const char* key, const char* unit) {
    return soc.constant("Timing.Scalar", key, unit);
  };
  const auto require = [](bool holds, const std::string& key, double got, const std::string& rule) {
    if (holds) return;
    throw std::invalid_argument("[Timing.Scalar] " + key + " = " + std::to_string(got) + ": " +
                                rule);
  };
  const auto whole_lines = [](double bytes, double line) {
    return bytes >= line && std::fmod(bytes, line) == 0;
  };
  const double depth = value("queue_depth", "entries");
  require(depth >= 1 && depth <= kMostQueued && depth == std::floor(depth), "queue_depth", depth,
          "a pipe queues 1 to 64 instructions");
  const double line = value("dcache_line", "bytes"), data = value("dcache_bytes", "bytes");
  require(line >= 1 && line <= kMostLine && line == std::floor(line), "dcache_line", line,
          "a line of the data cache has 1 to 64 bytes");
  require(whole_lines(data, value("dcache_ways", "entries") * line), "dcache_bytes", data,
          "the data cache has whole sets of dcache_ways lines");
  const double code_line = value("icache_line", "bytes");
  for (const char* key : {"aic_icache_bytes", "aiv_icache_bytes"}) {
    const double bytes = value(key, "bytes");
    require(code_line >= 1 && whole_lines(bytes, code_line), key, bytes,
            "an instruction cache has whole lines");
  }
}

}  // namespace

/// A value of the description, with its name for error messages.
struct SocConfig::Value {
  const std::string& text;
  std::string file_line;
  std::string name;  ///< "[AICoreSpec] ub_size"

  [[noreturn]] void refuse(const std::string& what) const {
    throw std::invalid_argument(file_line + ": " + name + " = " + text + ": " + what);
  }
};

SocConfig::SocConfig(std::string name, const Description& description) : name_(std::move(name)) {
  for (const auto& [section, keys] : description) {
    for (const auto& [key, value] : keys) {
      sections_[section][key] = value.text;
      origin_[section + "." + key] = value.file_line;
      require_range(section, key, value.text, value.file_line);
    }
  }
  validate();
}

SocConfig SocConfig::named(std::string_view soc) {
  const std::vector<std::string> known = names();
  if (std::find(known.begin(), known.end(), soc) == known.end()) {
    throw std::invalid_argument("unknown SoC '" + std::string(soc) + "'; known are " + list(known));
  }
  const std::string name(soc);
  return {name, read_description(builtin_file(name + std::string(kSuffix)), builtin_file)};
}

SocConfig SocConfig::from_file(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const auto find = [&folder](const std::string& name) {
    const std::filesystem::path beside = folder / name;
    std::error_code error;  // of a name that is too long: it is not there
    return std::filesystem::exists(beside, error) ? description_file(beside, "SoC")
                                                  : builtin_file(name);
  };
  const DescriptionFile file = description_file(path, "SoC");
  const Description description = read_description(file, find);
  refuse_unknown_keys(description);
  // A description without a name takes that of its file, and not that of the SoC that it includes.
  std::string name = std::filesystem::path(path).stem().string();
  if (const auto version = description.find("version"); version != description.end()) {
    const auto own = version->second.find("SoC_version");
    if (own != version->second.end() && own->second.file_line.starts_with(file.name + ":")) {
      name = own->second.text;
    }
  }
  return {name, description};
}

std::vector<std::string> SocConfig::names() {
  std::vector<std::string> names;
  for (const auto& [file, text] : builtin_descriptions()) {
    if (file.starts_with("Ascend")) names.push_back(file.substr(0, file.size() - kSuffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

SocConfig::Value SocConfig::find(std::string_view section, std::string_view key) const {
  const std::string name = "[" + std::string(section) + "] " + std::string(key);
  const auto keys = sections_.find(std::string(section));
  if (keys != sections_.end()) {
    const auto at = keys->second.find(std::string(key));
    if (at != keys->second.end()) {
      return {at->second, origin_.at(keys->first + "." + at->first), name};
    }
  }
  throw std::invalid_argument("the description of " + name_ + " has no " + name);
}

bool SocConfig::has(std::string_view section, std::string_view key) const {
  const auto keys = sections_.find(std::string(section));
  return keys != sections_.end() && keys->second.contains(std::string(key));
}

std::string SocConfig::text(std::string_view section, std::string_view key) const {
  return find(section, key).text;
}

std::uint64_t SocConfig::integer(std::string_view section, std::string_view key) const {
  const Value value = find(section, key);
  std::uint64_t number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [after, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc{} || after != end) value.refuse("not a whole number of at least 0");
  return number;
}

double SocConfig::constant(std::string_view section, std::string_view key,
                           std::string_view unit) const {
  const Value value = find(section, key);
  const Constant constant = read_constant(value.text, value.file_line);
  if (constant.unit != unit) value.refuse("the unit must be " + std::string(unit));
  return constant.value;
}

void SocConfig::set(const Values& values) {
  // What was there before: a copy of the whole description would cost more than all else here.
  struct Old {
    std::string &text, &origin, old_text, old_origin;
  };
  std::vector<Old> replaced;
  try {
    for (const auto& [name, value] : values) {
      find(name.first, name.second);
      std::string &text = sections_[name.first][name.second],
                  &origin = origin_[name.first + "." + name.second];
      replaced.push_back({text, origin, text, origin});
      replace(name.first, name.second, value);
    }
    validate();
  } catch (...) {
    for (auto old = replaced.rbegin(); old != replaced.rend(); ++old) {
      old->text = std::move(old->old_text);
      old->origin = std::move(old->old_origin);
    }
    throw;
  }
}

void SocConfig::replace(const std::string& section, const std::string& key, std::string value) {
  const Value old = find(section, key);
  const std::string origin = "set by the caller";
  // A sweep gives numbers without units. The constant keeps its unit.
  if (is_timing_section(section) && value.find('|') == std::string::npos) {
    const std::string unit = read_constant(old.text, old.file_line).unit;
    if (trim(value).find(' ') == std::string_view::npos) value += " " + unit;
    value += " | " + origin;
  }
  if (is_timing_section(section)) {
    read_constant(value, origin + ": [" + section + "] " + key);
  }
  sections_[section][key] = trim(value);
  origin_[section + "." + key] = origin;
  require_range(section, key, sections_[section][key], origin);
}

std::map<std::string, Constant> SocConfig::constants() const {
  std::map<std::string, Constant> constants;
  for (const auto& [section, keys] : sections_) {
    if (!is_timing_section(section)) continue;
    for (const auto& [key, value] : keys) {
      const std::string name = section + "." + key;
      constants[name] = read_constant(value, origin_.at(name));
    }
  }
  return constants;
}

std::uint32_t SocConfig::aic_count() const {
  return static_cast<std::uint32_t>(integer("SoCInfo", "ai_core_cnt"));
}
std::uint32_t SocConfig::aiv_count() const {
  return static_cast<std::uint32_t>(integer("SoCInfo", "vector_core_cnt"));
}
double SocConfig::frequency_mhz() const {
  return static_cast<double>(integer("AICoreSpec", "cube_freq"));
}
std::uint64_t SocConfig::hbm_bytes() const {
  return integer("SoCInfo", "memory_size");
}
std::uint64_t SocConfig::l2_bytes() const {
  return integer("SoCInfo", "l2_size");
}

void SocConfig::validate() const {
  struct Limit {
    const char *section, *key;
    std::uint64_t low, high;
  };
  // The limits are far beyond the real SoCs. They keep a mistyped digit from using up the memory of
  // the host.
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  static constexpr Limit kLimits[] = {
      {"SoCInfo", "ai_core_cnt", 1, 1024},           {"SoCInfo", "vector_core_cnt", 1, 2048},
      {"SoCInfo", "memory_size", 4096, 1024 * kGiB}, {"SoCInfo", "l2_size", 4096, 16 * kGiB},
      {"AICoreSpec", "cube_freq", 1, 1000000},       {"AICoreSpec", "l0_a_size", 512, kGiB},
      {"AICoreSpec", "l0_b_size", 512, kGiB},        {"AICoreSpec", "l0_c_size", 1024, kGiB},
      {"AICoreSpec", "l1_size", 512, kGiB},          {"AICoreSpec", "ub_size", 256, kGiB},
      {"AICoreSpec", "bt_size", 64, kGiB},           {"AICoreSpec", "ubbank_size", 32, 1 << 20},
      {"AICoreSpec", "ubbank_group_num", 1, 64},     {"AICoreSpec", "fb0_size", 0, kGiB},
      {"AICoreSpec", "fb1_size", 0, kGiB},           {"AICoreSpec", "fb2_size", 0, kGiB},
      {"AICoreSpec", "fb3_size", 0, kGiB},
  };
  for (const Limit& limit : kLimits) {
    const std::uint64_t value = integer(limit.section, limit.key);
    if (value < limit.low || value > limit.high) {
      find(limit.section, limit.key)
          .refuse("allowed are " + std::to_string(limit.low) + " to " + std::to_string(limit.high));
    }
  }
  for (const char* kind : {"l2", "hbm"}) {
    const Value model = find("Models", kind);
    if (memory::model_docs(kind).entries().empty()) continue;  // linked without models
    try {
      memory::model_docs(kind).at(model.text);
    } catch (const std::invalid_argument& error) {
      model.refuse(error.what());
    }
  }
  if (aiv_count() % aic_count() != 0) {
    find("SoCInfo", "vector_core_cnt").refuse("must be a multiple of ai_core_cnt");
  }
  validate_hbm_banks();
  check_caches(*this);
  for (const isa::CoreType type : {isa::CoreType::AIC, isa::CoreType::AIV}) core_spec(*this, type);
  const double set_bytes =
      constant("Timing.L2", "line", "bytes") * constant("Timing.L2", "ways", "entries");
  const auto whole = static_cast<std::uint64_t>(set_bytes);
  if (whole == 0 || static_cast<double>(whole) != set_bytes || l2_bytes() % whole != 0) {
    find("SoCInfo", "l2_size").refuse("must be a multiple of line x ways of [Timing.L2]");
  }
}

/// Refuses values that the model `banks` of HBM cannot take.
void SocConfig::validate_hbm_banks() const {
  constexpr const char* kSection = "Timing.HbmBanks";
  const auto count = [&](const char* key, const char* unit, double low, double high) {
    const double value = constant(kSection, key, unit);
    if (value < low || value > high || value != std::floor(value)) {
      find(kSection, key)
          .refuse("allowed are whole numbers from " + std::to_string(std::uint64_t(low)) + " to " +
                  std::to_string(std::uint64_t(high)));
    }
    return static_cast<std::uint64_t>(value);
  };
  constexpr double kBurst = 32, kMost = 1 << 20;
  count("stacks", "entries", 1, 64);
  count("channels", "entries", 1, 64);
  count("pseudo_channels", "entries", 1, 8);
  const std::uint64_t groups = count("bank_groups", "entries", 1, 8);
  count("banks", "entries", 1, 64);
  count("write_batch", "bytes", kBurst, kMost);
  if (groups % count("set_groups", "entries", 1, 8) != 0) {
    find(kSection, "set_groups").refuse("must divide bank_groups");
  }
  const std::uint64_t interleave = count("interleave", "bytes", kBurst, kMost);
  if (interleave % static_cast<std::uint64_t>(kBurst) != 0) {
    find(kSection, "interleave").refuse("must be a multiple of a burst, 32 bytes");
  }
  const std::uint64_t set_row =
      count("row", "bytes", kBurst, kMost) * count("set_groups", "entries", 1, 8);
  if (set_row % interleave != 0) {
    find(kSection, "interleave").refuse("must divide row x set_groups");
  }
}

}  // namespace davsim::sim
