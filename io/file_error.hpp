// What is wrong with a file somebody handed to us, or asked us to write.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace davsim::io {

class FileError : public std::runtime_error {
 public:
  /// `rule` states what files must keep to; `found` is what this one has instead.
  FileError(const std::string& path, std::string rule, const std::string& found)
      : std::runtime_error(path + ": " + found), rule(std::move(rule)) {}
  std::string rule;
};

}  // namespace davsim::io
