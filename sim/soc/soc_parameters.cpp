#include "sim/soc/soc_parameters.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "memory/model_registry.hpp"
#include "sim/soc/soc_description.hpp"
#include "sim/soc/soc_limits.hpp"

namespace davsim::sim {
namespace {

/// "which model stands for L2: bandwidth (...), none (...)"
std::string known_models(std::string_view kind) {
  std::string text;
  for (const auto& [name, doc] : memory::model_docs(kind).entries()) {
    text += (text.empty() ? "" : "; ") + name + ": " + doc;
  }
  return text;
}

/// What the models read beside the timing constants. The vendor's other keys describe the SoC and
/// change nothing.
std::vector<SocParameter> named_parameters() {
  return {
      {"clock", "AICoreSpec", "cube_freq", "MHz", "clock of the cores and of L2", {}},
      {"cores",
       "SoCInfo",
       "ai_core_cnt",
       "cores",
       "AI cores; the vector cores keep their number to each",
       {{"SoCInfo", "vector_core_cnt"}}},
      {"vector_cores", "SoCInfo", "vector_core_cnt", "cores", "vector cores alone", {}},
      {"hbm.size", "SoCInfo", "memory_size", "bytes", "global memory", {}},
      {"hbm.bandwidth",
       "Timing.Hbm",
       "peak",
       "bytes/s",
       "peak of HBM; what reading achieves of it keeps its share",
       {{"Timing.Hbm", "read_bandwidth"}}},
      {"l2.size", "SoCInfo", "l2_size", "bytes", "L2 cache", {}},
      {"l2.model", "Models", "l2", "name", known_models("l2"), {}},
      {"hbm.model", "Models", "hbm", "name", known_models("hbm"), {}},
      {"l1.size", "AICoreSpec", "l1_size", "bytes", "L1 buffer of a cube core", {}},
      {"l0a.size", "AICoreSpec", "l0_a_size", "bytes", "L0A buffer", {}},
      {"l0b.size", "AICoreSpec", "l0_b_size", "bytes", "L0B buffer", {}},
      {"l0c.size", "AICoreSpec", "l0_c_size", "bytes", "L0C buffer", {}},
      {"bt.size", "AICoreSpec", "bt_size", "bytes", "bias table", {}},
      {"fb0.size", "AICoreSpec", "fb0_size", "bytes", "fixpipe buffer 0", {}},
      {"fb1.size", "AICoreSpec", "fb1_size", "bytes", "fixpipe buffer 1", {}},
      {"fb2.size", "AICoreSpec", "fb2_size", "bytes", "fixpipe buffer 2", {}},
      {"fb3.size", "AICoreSpec", "fb3_size", "bytes", "fixpipe buffer 3", {}},
      {"ub.size", "AICoreSpec", "ub_size", "bytes", "unified buffer of a vector core", {}},
      {"ub.bank_size", "AICoreSpec", "ubbank_size", "bytes", "a bank of UB", {}},
      {"ub.bank_groups", "AICoreSpec", "ubbank_group_num", "groups", "bank groups of UB", {}},
  };
}

/// Values that one model alone reads; `key` empty: all of the section.
struct ReadBy {
  const char *section, *key, *kind, *model;
};
constexpr ReadBy kReadBy[] = {
    {"Timing.HbmBanks", "", "hbm", "banks"},
    {"Timing.Hbm", "short_burst", "hbm", "bandwidth"},
    {"Timing.Hbm", "write_back", "hbm", "bandwidth"},
    {"Timing.L2", "bandwidth", "l2", "bandwidth"},
    {"Timing.L2", "ways", "l2", "bandwidth"},
    {"Timing.L2", "rotation", "l2", "bandwidth"},
    {"Timing.L2", "line_service", "l2", "bandwidth"},
    {"Timing.L2", "write_latency", "l2", "bandwidth"},
    {"SoCInfo", "l2_size", "l2", "bandwidth"},
};

SocParameter with_model(SocParameter parameter) {
  for (const ReadBy& read : kReadBy) {
    if (parameter.section != read.section) continue;
    if (*read.key == 0 || parameter.key == read.key) parameter.read_by = {read.kind, read.model};
  }
  return parameter;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// "Timing.CrossCore" is "crosscore" in short names.
std::string_view short_section(std::string_view section) {
  return section.substr(section.find('.') + 1);
}

bool same_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

/// Whether `name` is "section.key".
bool is_called(std::string_view name, std::string_view section, std::string_view key) {
  return name.size() == section.size() + 1 + key.size() && name[section.size()] == '.' &&
         same_but_case(name.substr(0, section.size()), section) &&
         same_but_case(name.substr(section.size() + 1), key);
}

SocParameter timing_parameter(const std::string& section, const std::string& key,
                              const std::string& value) {
  const Constant constant = read_constant(value, section);
  return with_model({lower(short_section(section)) + "." + key,
                     section,
                     key,
                     constant.unit,
                     constant.source,
                     {}});
}

struct Step {
  double size;
  const char* unit;
};

/// In the largest unit of the list that is no more than the value.
template <std::size_t N>
std::string scaled_text(double value, const std::array<Step, N>& steps) {
  const Step* best = &steps.back();
  for (const Step& step : steps) {
    if (value >= step.size) {
      best = &step;
      break;
    }
  }
  return shortest(value / best->size) + " " + best->unit;
}

bool may_be_zero(const std::string& unit) {
  return unit == "cycles" || unit == "ns" || unit == "us" || unit == "us/core" || unit == "sets" ||
         unit == "factor" || unit == "instructions" || unit == "lines";
}

bool must_be_whole(const std::string& unit) {
  return unit == "bytes" || unit == "entries" || unit == "cores" || unit == "groups" ||
         unit == "sets" || unit == "MHz";
}

/// What the models can count with; SocConfig knows the limits of sizes and counts.
void check_range(const std::string& unit, double value) {
  constexpr double kMostCycles = 1e9;
  const std::string shown = shortest(value) + " " + unit;
  if (!std::isfinite(value)) throw std::invalid_argument("it is too large");
  if (value < 0) throw std::invalid_argument("it is negative: " + shown);
  if (value == 0 && !may_be_zero(unit)) throw std::invalid_argument("it must be more than 0");
  if (must_be_whole(unit) && (value != std::floor(value) || value >= 0x1p63)) {
    throw std::invalid_argument("it must be a whole number of " + unit + ", not " + shown);
  }
  if (may_be_zero(unit) && value > kMostCycles) {
    throw std::invalid_argument("at most " + shortest(kMostCycles) + " " + unit +
                                " are allowed, not " + shown);
  }
}

double value_of(const SocConfig& soc, const std::string& section, const std::string& key) {
  if (!is_timing_section(section)) return static_cast<double>(soc.integer(section, key));
  return read_constant(soc.text(section, key), key).value;
}

/// Refuses a value that the models of `soc` do not read: it would silently change nothing.
void require_read(const SocConfig& soc, const SocParameter& parameter) {
  const auto& [kind, model] = parameter.read_by;
  if (kind.empty() || soc.text("Models", kind) == model) return;
  throw std::invalid_argument("only " + kind + ".model=" + model + " reads it, and the model is " +
                              soc.text("Models", kind));
}

SocConfig::Values new_values(const SocConfig& soc, const SocSetting& setting) {
  const SocParameter& parameter = setting.parameter;
  if (parameter.is_name()) return {{{parameter.section, parameter.key}, setting.value}};
  const double present = parameter_value(soc, parameter);
  const double value = read_quantity(setting.value, parameter.unit, present, soc.frequency_mhz());
  check_range(parameter.unit, value);
  const auto text = [](const std::string& section, double number) {
    return is_timing_section(section) ? shortest(number)
                                      : std::to_string(static_cast<std::uint64_t>(number));
  };
  SocConfig::Values values = {{{parameter.section, parameter.key}, text(parameter.section, value)}};
  for (const auto& [section, key] : parameter.scaled) {
    const double number = value_of(soc, section, key) * value / present;
    values[{section, key}] = text(section, number);
  }
  return values;
}

}  // namespace

std::vector<SocParameter> soc_parameters(const SocConfig& soc) {
  std::vector<SocParameter> parameters;
  for (SocParameter& named : named_parameters()) {
    parameters.push_back(with_model(std::move(named)));
  }
  for (const auto& [section, keys] : soc.sections()) {
    if (!is_timing_section(section)) continue;
    for (const auto& [key, value] : keys) {
      parameters.push_back(timing_parameter(section, key, value));
    }
  }
  return parameters;
}

std::optional<SocParameter> find_parameter(const SocConfig& soc, std::string_view name) {
  for (SocParameter& parameter : named_parameters()) {
    if (same_but_case(parameter.name, name)) return with_model(std::move(parameter));
    if (!is_called(name, parameter.section, parameter.key)) continue;
    parameter.scaled.clear();
    return with_model(std::move(parameter));
  }
  for (const auto& [section, keys] : soc.sections()) {
    if (!is_timing_section(section)) continue;
    for (const auto& [key, value] : keys) {
      if (is_called(name, short_section(section), key) || is_called(name, section, key)) {
        return timing_parameter(section, key, value);
      }
    }
  }
  return std::nullopt;
}

double parameter_value(const SocConfig& soc, const SocParameter& parameter) {
  return value_of(soc, parameter.section, parameter.key);
}

std::string parameter_text(const SocConfig& soc, const SocParameter& parameter) {
  static constexpr std::array<Step, 4> kSizes = {
      {{1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}}};
  static constexpr std::array<Step, 3> kRates = {{{1e12, "TB/s"}, {1e9, "GB/s"}, {1, "B/s"}}};
  if (parameter.is_name()) return soc.text(parameter.section, parameter.key);
  const double value = parameter_value(soc, parameter);
  if (parameter.unit == "bytes") return scaled_text(value, kSizes);
  if (parameter.unit == "bytes/s") return scaled_text(value, kRates);
  return shortest(value) + " " + parameter.unit;
}

void apply_settings(SocConfig& soc, const std::vector<SocSetting>& settings) {
  SocConfig changed = soc;
  const auto set = [&](bool first) {
    for (const SocSetting& setting : settings) {
      if ((setting.parameter.unit == "MHz" || setting.parameter.is_name()) != first) continue;
      try {
        changed.set(new_values(changed, setting));
        if (!setting.parameter.is_name()) require_read(changed, setting.parameter);
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(setting.parameter.name + "=" + setting.value + ": " +
                                    error.what());
      }
    }
  };
  set(true);
  set(false);
  soc = std::move(changed);
}

}  // namespace davsim::sim
