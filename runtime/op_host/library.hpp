// A shared library of op_host sources, or one of operators, which holds such sources too.
#pragma once

#include <string>

namespace davsim::op_host {

/// Loads the library for the rest of the process, so that its static initialisers register what it
/// has. Throws std::invalid_argument saying why it cannot be loaded or what its registrations
/// contradict.
void load_library(const std::string& path);

}  // namespace davsim::op_host
