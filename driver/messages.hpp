// What the compiler writes about a source.
#pragma once

#include <string>
#include <vector>

namespace davsim::driver {

/// The messages of `log`, each with the lines that belong to it.
std::vector<std::string> messages(const std::string& log);

}  // namespace davsim::driver
