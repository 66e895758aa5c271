// The table of a sweep on disk. A row is written when its run has ended, completely or not at all,
// so that a sweep that was interrupted can continue.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/csv.hpp"

namespace davsim::cli {

class SweepTable {
 public:
  /// Opens or makes the file, removes an incomplete last line, and reads the rows. `fresh` drops
  /// all rows. The first `key_columns` columns identify a row. Throws io::FileError, also if
  /// another sweep writes the file or it holds other columns.
  SweepTable(std::string path, CsvRow columns, std::size_t key_columns, bool fresh);
  ~SweepTable();
  SweepTable(const SweepTable&) = delete;
  SweepTable& operator=(const SweepTable&) = delete;

  std::size_t size() const { return rows_.size(); }
  /// The row of a run, or null.
  const CsvRow* find(const CsvRow& key) const;
  /// Appends a row, with one write.
  void add(CsvRow row);
  /// Drops rows whose runs have to be repeated.
  void drop(const std::vector<CsvRow>& keys);
  /// Sorts the rows in the order of these keys, and drops all others.
  void sort(const std::vector<CsvRow>& keys);

 private:
  CsvRow key_of(const CsvRow& row) const;
  void open_and_lock();
  void read(bool fresh);
  void rewrite(const std::vector<CsvRow>& rows);
  void append(const std::string& line);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  CsvRow columns_;
  std::size_t key_columns_;
  int file_ = -1;
  std::map<CsvRow, CsvRow> rows_;
};

}  // namespace davsim::cli
