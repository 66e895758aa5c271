// A file that appears whole or not at all. Bytes go to a temporary file beside it, which is renamed
// at the end.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace davsim::io {

class PendingFile {
 public:
  /// Makes the temporary file, so that a path that cannot be written fails before any work. Throws
  /// FileError.
  explicit PendingFile(std::string path);
  /// Removes the temporary file unless commit() succeeded.
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::string& path() const { return path_; }
  std::ostream& stream() { return stream_; }
  /// Moves the file to its final place. Throws FileError if anything written so far was lost.
  void commit();

 private:
  std::string path_;    ///< as given
  std::string target_;  ///< where it leads, symbolic links followed
  std::string temporary_;
  std::ofstream stream_;
  std::size_t slot_ = 0;
};

}  // namespace davsim::io
