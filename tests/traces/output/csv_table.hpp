// Reads CSV files for tests.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "traces/output/csv.hpp"

namespace davsim::test {

struct Csv {
  std::vector<std::string> heading;
  std::vector<std::map<std::string, std::string>> rows;
};

/// Throws std::runtime_error where a row has not as many fields as the heading.
inline Csv parse_csv(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  Csv csv;
  std::getline(stream, line);
  csv.heading = traces::csv_fields(line);
  while (std::getline(stream, line)) {
    const std::vector<std::string> fields = traces::csv_fields(line);
    if (fields.size() != csv.heading.size()) throw std::runtime_error("odd row: " + line);
    auto& row = csv.rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) row[csv.heading[i]] = fields[i];
  }
  return csv;
}

}  // namespace davsim::test
