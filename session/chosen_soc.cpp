#include "session/chosen_soc.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "session/suggest.hpp"
#include "sim/soc/soc_parameters.hpp"

namespace davsim::session {
namespace {

sim::SocConfig described(const std::string& soc) {
  const bool is_file = soc.find('/') != std::string::npos || soc.ends_with(".ini");
  std::error_code error;  // of a name that is too long
  if (is_file && !std::filesystem::is_regular_file(soc, error)) {
    throw WrongChoice("there is no SoC description file '" + soc + "'");
  }
  try {
    return is_file ? sim::SocConfig::from_file(soc) : sim::SocConfig::named(soc);
  } catch (const std::invalid_argument& error) {
    throw WrongChoice(error.what() + (is_file ? "" : meant_soc(soc)));
  }
}

/// Refuses a name that is no parameter, and says where the value can be set if it exists.
[[noreturn]] void refuse_parameter(const sim::SocConfig& config, const std::string& name,
                                   const std::string& option) {
  for (std::size_t i = name.find('.'); i != std::string::npos; i = name.find('.', i + 1)) {
    if (!config.has(name.substr(0, i), name.substr(i + 1))) continue;
    throw WrongChoice(option + " " + name + ": only a description file can set this value; " +
                      "`davsim describe " + config.name() + "` lists what " + option + " takes");
  }
  const bool long_name = name.starts_with("Timing.");
  std::vector<std::string> known;
  for (const sim::SocParameter& parameter : sim::soc_parameters(config)) {
    known.push_back(long_name ? parameter.long_name() : parameter.name);
  }
  constexpr std::size_t kHints = 3;
  std::string hints;
  for (const std::string& hint : nearest(name, std::move(known), kHints)) {
    hints += (hints.empty() ? "" : ", ") + hint;
  }
  throw WrongChoice(option + " " + name + ": there is no such parameter; the nearest are " + hints +
                    ". `davsim describe " + config.name() + "` lists all");
}

sim::SocSetting setting_of(const sim::SocConfig& config, const std::string& assignment,
                           const std::string& option) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw WrongChoice(option + " is '" + assignment + "'; it takes NAME=VALUE");
  }
  const std::string name = assignment.substr(0, equals);
  const auto parameter = sim::find_parameter(config, name);
  if (!parameter) refuse_parameter(config, name, option);
  return {*parameter, assignment.substr(equals + 1)};
}

/// What a generation of SoCs is called, and the one to begin with.
struct Family {
  std::string chip, product, soc;
};

const Family* family_of(std::string name) {
  static const Family kFamilies[] = {{"910b", "a2", kDefaultSoc}, {"910c", "a3", "Ascend910_9392"}};
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const std::string maker : {"ascend", "atlas"}) {
    if (name.starts_with(maker)) name.erase(0, maker.size());
  }
  name.erase(0, name.find_first_not_of(" -_"));
  const auto* found = std::find_if(
      std::begin(kFamilies), std::end(kFamilies),
      [&](const Family& family) { return name == family.chip || name == family.product; });
  return found == std::end(kFamilies) ? nullptr : found;
}

}  // namespace

std::string meant_soc(const std::string& name, const std::vector<std::string>& others) {
  if (const Family* family = family_of(name)) {
    return "; did you mean '" + family->soc +
           "'? `davsim list` shows the other SoCs of this family";
  }
  std::vector<std::string> known = sim::SocConfig::names();
  known.insert(known.end(), others.begin(), others.end());
  return did_you_mean(name, known);
}

sim::SocConfig chosen_soc(const std::string& soc, const std::vector<std::string>& set,
                          const std::string& option) {
  sim::SocConfig config = described(soc);
  std::vector<sim::SocSetting> settings;
  for (const std::string& assignment : set) {
    sim::SocSetting setting = setting_of(config, assignment, option);
    for (const sim::SocSetting& other : settings) {
      if (other.parameter.long_name() != setting.parameter.long_name()) continue;
      throw WrongChoice(option + " names " + setting.parameter.name + " twice");
    }
    settings.push_back(std::move(setting));
  }
  try {
    sim::apply_settings(config, settings);
  } catch (const std::invalid_argument& error) {
    throw WrongChoice(option + " " + error.what());
  }
  return config;
}

}  // namespace davsim::session
