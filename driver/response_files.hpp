// Response files of a command line: @FILE stands for the arguments in FILE.
#pragma once

#include <string>
#include <vector>

namespace davsim::driver {

/// The arguments with those of each @FILE in its place, as g++ reads them: separated by white
/// space, in single or double quotes, with a backslash before any character that stands for itself.
/// Files may name others. Throws UsageError for a file that cannot be read or that stands in
/// itself.
std::vector<std::string> with_response_files(const std::vector<std::string>& arguments);

}  // namespace davsim::driver
