// What the environment asks of the simulator: the options of the command, for programs that know
// nothing of it. docs/runtime.md lists the variables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session/exports.hpp"
#include "sim/device/device.hpp"

namespace davsim::runtime {

struct Settings {
  std::string soc;               ///< empty: that of the system
  std::string system;            ///< built in or a file; empty: one die
  std::vector<std::string> set;  ///< "NAME=VALUE", parameters of the SoC
  sim::DeviceOptions device;
  bool check = false, check_numbers = false;
  std::string report;  ///< file; empty: none
  std::vector<session::ExportRequest> exports;
};

/// Throws session::WrongChoice for a value that does not do. A variable that nobody knows, but that
/// looks like one of these, is warned of on standard error.
Settings settings_from_environment();

}  // namespace davsim::runtime
