#include "session/chosen_soc.hpp"

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
    throw WrongChoice(error.what() + (is_file ? "" : did_you_mean(soc, sim::SocConfig::names())));
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

}  // namespace

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
