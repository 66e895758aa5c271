// What the compiler writes about a source.
#pragma once

#include <string>
#include <vector>

namespace davsim::driver {

/// The messages of `log`, each with the lines that belong to it.
std::vector<std::string> messages(const std::string& log);

/// Writes the messages of several compilations of one source to stderr, each once. Returns whether
/// there was none.
bool show_messages(const std::vector<std::string>& logs);

/// Whether a compilation failed because the compiler could not use a compiled header, which it says
/// as "PCH": it needs the addresses at which it made the header.
bool blames_compiled_header(const std::string& log);

}  // namespace davsim::driver
