// Reads CSV files for tests.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace davsim::test {

struct Csv {
  std::vector<std::string> heading;
  std::vector<std::map<std::string, std::string>> rows;
};

inline std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

/// Throws std::runtime_error where a row has not as many fields as the heading.
inline Csv parse_csv(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  Csv csv;
  std::getline(stream, line);
  csv.heading = csv_fields(line);
  while (std::getline(stream, line)) {
    const std::vector<std::string> fields = csv_fields(line);
    if (fields.size() != csv.heading.size()) throw std::runtime_error("odd row: " + line);
    auto& row = csv.rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) row[csv.heading[i]] = fields[i];
  }
  return csv;
}

}  // namespace davsim::test
