// Runs further davsim processes. A process can simulate one SoC only, so every run of several is a
// process of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace davsim::cli {

struct ChildResult {
  int status = 0;   ///< exit status; 128 + signal if a signal ended it
  std::string out;  ///< its standard output
  std::string err;  ///< its standard error
};

/// Takes the result of a child that has ended. `index` is the child's place in the list.
using OnChild = std::function<void(std::size_t index, ChildResult result)>;

/// Runs this program once for each list of arguments, at most `at_once` at a time, and calls
/// `ended` in the order in which they end. Children end with their parent. Throws std::system_error
/// if the host refuses.
void run_children(const std::vector<std::vector<std::string>>& argument_lists, unsigned at_once,
                  const OnChild& ended);

}  // namespace davsim::cli
