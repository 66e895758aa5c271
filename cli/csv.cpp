#include "cli/csv.hpp"

#include <algorithm>

#include "traces/output/csv.hpp"

namespace davsim::cli {
namespace {

std::string csv_cell(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return traces::csv_field(text);
}

}  // namespace

std::string csv_line(const CsvRow& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + csv_cell(cells[i]);
  return line + "\n";
}

CsvText read_csv(std::string_view text) {
  CsvText result;
  for (std::size_t end; (end = text.find('\n', result.whole)) != std::string_view::npos;) {
    std::string_view line = text.substr(result.whole, end - result.whole);
    if (line.ends_with('\r')) line.remove_suffix(1);
    result.rows.push_back(traces::csv_fields(line));
    result.whole = end + 1;
  }
  return result;
}

}  // namespace davsim::cli
