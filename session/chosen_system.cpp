#include "session/chosen_system.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <vector>

#include "session/chosen_soc.hpp"
#include "session/suggest.hpp"

namespace davsim::session {

sim::SystemConfig chosen_system(const std::string& system) {
  const std::size_t colon = system.find(':');
  const std::string name = system.substr(0, colon);
  const bool is_file = name.find('/') != std::string::npos || name.ends_with(".ini");
  std::error_code error;  // of a name that is too long
  if (is_file && !std::filesystem::is_regular_file(name, error)) {
    throw WrongChoice("there is no description file of a system '" + name + "'");
  }
  try {
    sim::SystemConfig chosen =
        is_file ? sim::SystemConfig::from_file(name) : sim::SystemConfig::named(name);
    if (colon == std::string::npos) return chosen;
    const std::string count = system.substr(colon + 1);
    std::uint32_t dies = 0;
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), dies);
    if (error != std::errc() || end != count.data() + count.size()) {
      throw WrongChoice("'" + count + "' is no number of dies; NAME:4 are the first four");
    }
    chosen.use_dies(dies);
    return chosen;
  } catch (const std::invalid_argument& error) {
    const std::vector<std::string> names = sim::SystemConfig::names();
    const bool known = is_file || std::find(names.begin(), names.end(), name) != names.end();
    throw WrongChoice(error.what() + (known ? "" : did_you_mean(name, names)));
  }
}

}  // namespace davsim::session
