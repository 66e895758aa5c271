// Comma-separated values, RFC 4180 with one row a line: text that would break a line loses it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace davsim::cli {

using CsvRow = std::vector<std::string>;

/// With its newline. Quotes cells that need it; line breaks become spaces.
std::string csv_line(const CsvRow& cells);

struct CsvText {
  std::vector<CsvRow> rows;
  std::size_t whole = 0;  ///< bytes up to the end of the last line that has one
};
/// Reads what csv_line() wrote; a last line without newline is not a row.
CsvText read_csv(std::string_view text);

}  // namespace davsim::cli
