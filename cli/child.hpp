// Further davsim processes: a simulation lives once a process, so other SoCs mean other processes.
#pragma once

#include <string>
#include <vector>

namespace davsim::cli {

struct ChildResult {
  int status = 0;   ///< exit status; 128 + signal if a signal ended it
  std::string out;  ///< its standard output
  std::string err;  ///< its standard error
};

/// Runs this program once for each list of arguments, at most `at_once` at a time; results in the
/// same order. Children end with their parent. Throws std::system_error if the host refuses.
std::vector<ChildResult> run_children(const std::vector<std::vector<std::string>>& argument_lists,
                                      unsigned at_once);

}  // namespace davsim::cli
