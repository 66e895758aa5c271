#include "driver/messages.hpp"

#include <iostream>
#include <set>
#include <sstream>

namespace davsim::driver {

std::vector<std::string> messages(const std::string& log) {
  std::vector<std::string> all;
  bool complete = true;  // context lines stand before a message, the source after it
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const bool message = line.find("error:") != line.npos || line.find("warning:") != line.npos;
    const bool context = line.starts_with("In file included") || line.starts_with("/") ||
                         line.find(": In ") != line.npos || line.find(": At ") != line.npos;
    if (all.empty() || (complete && (message || (context && line.find("note:") == line.npos)))) {
      all.emplace_back();
      complete = false;
    }
    if (message) complete = true;
    all.back() += line + "\n";
  }
  return all;
}

bool show_messages(const std::vector<std::string>& logs) {
  std::set<std::string> shown;
  for (const std::string& log : logs) {
    for (const std::string& message : messages(log)) {
      if (shown.insert(message).second) std::cerr << message;
    }
  }
  return shown.empty();
}

bool blames_compiled_header(const std::string& log) {
  return log.find("PCH") != log.npos || log.find("internal compiler error") != log.npos;
}

}  // namespace davsim::driver
