#include "cli/sweep_table.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "io/file_error.hpp"
#include "io/pending_file.hpp"

namespace davsim::cli {

SweepTable::SweepTable(std::string path, CsvRow columns, std::size_t key_columns, bool fresh)
    : path_(std::move(path)), columns_(std::move(columns)), key_columns_(key_columns) {
  const bool is_new = access(path_.c_str(), F_OK) != 0;
  open_and_lock();
  try {
    read(fresh);
  } catch (...) {
    close(file_);
    if (is_new) unlink(path_.c_str());
    throw;
  }
}

SweepTable::~SweepTable() {
  close(file_);
}

void SweepTable::fail(const std::string& what) const {
  throw io::FileError(path_, "the table of a sweep can be written and belongs to it alone", what);
}

void SweepTable::open_and_lock() {
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail(std::strerror(errno));
  struct stat status {};
  const bool regular = fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
  if (regular && flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  close(file_);
  fail(regular ? "another sweep is writing it" : "it is no regular file");
}

void SweepTable::read(bool fresh) {
  std::ifstream stream(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  CsvText table = fresh ? CsvText() : read_csv(text);
  if (!table.rows.empty() && table.rows.front() != columns_) {
    fail("it holds other columns than this sweep: give another --out, or --fresh to start over");
  }
  // A full disk must not cost the rows that are there.
  if (table.rows.empty()) return rewrite({});
  if (ftruncate(file_, static_cast<off_t>(table.whole)) != 0) fail(std::strerror(errno));
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    CsvRow& row = table.rows[i];
    if (row.size() != columns_.size()) {
      fail("line " + std::to_string(i + 1) + " has " + std::to_string(row.size()) +
           " cells instead of " + std::to_string(columns_.size()) +
           "; mend it, or give --fresh to start over");
    }
    rows_.insert_or_assign(key_of(row), std::move(row));
  }
}

CsvRow SweepTable::key_of(const CsvRow& row) const {
  return {row.begin(), row.begin() + static_cast<std::ptrdiff_t>(key_columns_)};
}

const CsvRow* SweepTable::find(const CsvRow& key) const {
  const auto at = rows_.find(key);
  return at == rows_.end() ? nullptr : &at->second;
}

void SweepTable::append(const std::string& line) {
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = write(file_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(std::strerror(errno));
    done += static_cast<std::size_t>(written);
  }
}

void SweepTable::add(CsvRow row) {
  append(csv_line(row));
  rows_.insert_or_assign(key_of(row), std::move(row));
}

void SweepTable::drop(const std::vector<CsvRow>& keys) {
  if (keys.empty()) return;
  for (const CsvRow& key : keys) rows_.erase(key);
  std::vector<CsvRow> kept;
  for (const auto& [key, row] : rows_) kept.push_back(row);
  rewrite(kept);
}

void SweepTable::sort(const std::vector<CsvRow>& keys) {
  std::vector<CsvRow> rows;
  for (const CsvRow& key : keys) {
    if (const CsvRow* row = find(key)) rows.push_back(*row);
  }
  rewrite(rows);
}

/// The new file replaces the old one in one step. From then on it is written and locked.
void SweepTable::rewrite(const std::vector<CsvRow>& rows) {
  io::PendingFile pending(path_);
  pending.stream() << csv_line(columns_);
  for (const CsvRow& row : rows) pending.stream() << csv_line(row);
  pending.commit();
  close(file_);
  open_and_lock();
}

}  // namespace davsim::cli
