// How generated files are written.
#pragma once

#include <filesystem>
#include <string>

namespace davsim::opbuild {

/// Leaves a file alone that has this content already, so that nothing is compiled again. Throws
/// std::invalid_argument if the file cannot be written.
void write_file(const std::filesystem::path& path, const std::string& content);

}  // namespace davsim::opbuild
