// An output file of text, packed by gzip if its name ends in .gz.
#pragma once

#include <istream>
#include <memory>
#include <ostream>
#include <string>

#include "io/pending_file.hpp"

namespace davsim::io {

class TextFile {
 public:
  /// Makes the temporary file. Throws io::FileError.
  explicit TextFile(std::string path);
  ~TextFile();

  const std::string& path() const { return file_.path(); }
  std::ostream& stream();
  /// Puts the file in its place. Throws io::FileError if anything written so far was lost.
  void commit();

 private:
  class Packer;

  io::PendingFile file_;
  std::unique_ptr<Packer> packer_;
  std::unique_ptr<std::ostream> packed_;
};

/// Throws io::FileError that says why, where `path` is no file that can be read. `rule`: what
/// files must keep to there.
void require_readable(const std::string& path, const std::string& rule);

/// A file to read, unpacked if it is one that gzip has packed, whatever its name; null if it cannot
/// be opened. The stream goes bad where a packed file is torn.
std::unique_ptr<std::istream> open_text(const std::string& path);

}  // namespace davsim::io
