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
  /// Moves the file to its final place. Throws io::FileError if anything written so far was lost.
  void commit();

 private:
  class Packer;

  io::PendingFile file_;
  std::unique_ptr<Packer> packer_;
  std::unique_ptr<std::ostream> packed_;
};

/// The path to open for a file that the user names: "-" is standard input.
std::string readable_path(const std::string& path);
/// Throws io::FileError that says why, where `path` is no file that can be read. `rule`: what
/// files must keep to there.
void require_readable(const std::string& path, const std::string& rule);

/// Opens a file to read. A file that gzip has packed is unpacked, whatever its name. Returns null
/// if the file cannot be opened. The stream becomes bad where a packed file is incomplete.
std::unique_ptr<std::istream> open_text(const std::string& path);

}  // namespace davsim::io
