// The error about a file that the user gave, or that the user asked to write.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace davsim::io {

class FileError : public std::runtime_error {
 public:
  /// `rule` states the rule for such files. `found` is what this file has instead.
  FileError(const std::string& path, std::string rule, const std::string& found)
      : std::runtime_error(path + ": " + found), rule(std::move(rule)) {}
  std::string rule;
};

}  // namespace davsim::io
