// The system of dies that a user chooses by name or file.
#pragma once

#include <string>

#include "sim/soc/system_config.hpp"

namespace davsim::session {

/// A built-in system by name, or a description file (anything with a '/' or ending in ".ini").
/// "NAME:4" is its first four dies. Throws WrongChoice.
sim::SystemConfig chosen_system(const std::string& system);

}  // namespace davsim::session
