// A file that appears whole or not at all. Bytes go to a temporary file beside it, which is renamed
// at the end. What is no regular file (a pipe, /dev/null, "-" for standard output) gets the bytes
// of the temporary file at the end, which then is in the folder for temporary files.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>

namespace davsim::io {

/// The name that stands for standard input and standard output.
inline constexpr std::string_view kStandardStream = "-";

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
  bool is_rewritten() const { return target_.empty(); }
  void copy_to_path() const;

  std::string path_;    ///< as given
  std::string target_;  ///< where it leads, symbolic links followed; empty: no regular file
  std::string temporary_;
  std::ofstream stream_;
  std::size_t slot_ = 0;
};

}  // namespace davsim::io
