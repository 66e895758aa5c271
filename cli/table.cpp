#include "cli/table.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace davsim::cli {

std::string Table::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) text += table_line(row, widths, indent, right_from_) + "\n";
  return text;
}

std::string table_line(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                       std::size_t indent, std::size_t right_from) {
  std::string line(indent, ' ');
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string padding(widths[i] - std::min(widths[i], row[i].size()), ' ');
    if (i > 0) line += "  ";
    line += i >= right_from ? padding + row[i] : row[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i > 0 ? separator : "") + words[i];
  return text;
}

}  // namespace davsim::cli
