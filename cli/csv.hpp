// Comma-separated values as RFC 4180 defines them, but with one row a line: a cell holds no line
// breaks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace davsim::cli {

using CsvRow = std::vector<std::string>;

/// The row with its newline. Cells that need quotes get them; line breaks become spaces.
std::string csv_line(const CsvRow& cells);

struct CsvText {
  std::vector<CsvRow> rows;
  std::size_t whole = 0;  ///< bytes up to the end of the last line that has one
};
/// Reads what csv_line() wrote; a last line without newline is not a row.
CsvText read_csv(std::string_view text);

}  // namespace davsim::cli
