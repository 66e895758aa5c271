// Columns of text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace davsim::cli {

class Table {
 public:
  /// The first row is the heading.
  explicit Table(std::vector<std::string> heading) { rows_.push_back(std::move(heading)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// The columns from this one on are aligned to the right, for numbers.
  void right_from(std::size_t column) { right_from_ = column; }
  /// Lines, each indented by `indent` spaces.
  std::string text(std::size_t indent = 2) const;
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t right_from_ = std::string::npos;
};

/// One line of such a table, without its end. `widths`: of the columns; columns from `right_from`
/// on are aligned to the right.
std::string table_line(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                       std::size_t indent, std::size_t right_from = std::string::npos);

/// A number with so many digits behind the point.
std::string fixed(double value, int digits);
/// Words with a separator between them.
std::string joined(const std::vector<std::string>& words, const std::string& separator = ", ");

}  // namespace davsim::cli
