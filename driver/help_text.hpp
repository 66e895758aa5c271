#pragma once

#include <string>

namespace davsim::driver {

/// What `davsim-cc --help` writes.
std::string help_text();

}  // namespace davsim::driver
