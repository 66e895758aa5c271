// What a program asks of the simulator: the options of `davsim run`, as variables of the
// environment for programs that know nothing of davsim (docs/runtime.md lists them), and as options
// on the command line of programs that do.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "session/exports.hpp"
#include "sim/device/device.hpp"

namespace davsim::session {

struct Settings {
  std::string soc;               ///< empty: that of the system
  std::string system;            ///< built in or a file; empty: one die
  std::vector<std::string> set;  ///< "NAME=VALUE", parameters of the SoC
  std::string set_option;        ///< what the user calls `set`, for messages
  sim::DeviceOptions device;
  bool check = false, check_numbers = false;
  std::string check_option;  ///< what switches the checker on
  std::string report;        ///< file; empty: none
  std::vector<ExportRequest> exports;
  /// A die that is alone has communicators too, of one rank each.
  bool communicators = false;
  std::uint64_t host_timeout = 0;   ///< seconds of wall time of a launch; 0: no limit
  std::string host_timeout_option;  ///< what the user calls it
};

/// Throws session::WrongChoice for a value that does not do. A variable that nobody knows, but that
/// looks like one of these, is warned of on standard error.
Settings settings_from_environment();

/// Takes the options that are known out of the arguments; what is left stays in its order.
/// Variables of the environment hold where no option is given. `otherwise` is the SoC that holds
/// where neither is. Throws as above.
Settings settings_from_arguments(int& argc, char** argv, const std::string& otherwise);
/// A line for each of these options.
std::string settings_help();

/// The device that is asked for. Throws WrongChoice. `models`: memory models by kind, in place of
/// those of the description.
std::unique_ptr<sim::Device> make_device(const Settings& settings,
                                         const std::map<std::string, std::string>& models = {});

}  // namespace davsim::session
