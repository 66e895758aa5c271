// A folder that appears whole or not at all. It is filled under a temporary name beside its final
// place.
#pragma once

#include <cstddef>
#include <fstream>
#include <list>
#include <string>

namespace davsim::io {

class PendingDirectory {
 public:
  /// Makes the temporary folder, so that a path that cannot be written fails before any work.
  /// Throws FileError, also if the folder exists and is not empty.
  explicit PendingDirectory(std::string path);
  /// Removes the temporary folder unless commit() succeeded.
  ~PendingDirectory();
  PendingDirectory(const PendingDirectory&) = delete;
  PendingDirectory& operator=(const PendingDirectory&) = delete;

  const std::string& path() const { return path_; }
  /// Makes a new file in the folder ("a/b.json") and the folders of its path. Throws FileError.
  std::ostream& file(const std::string& name);
  /// Moves the folder to its final place. Throws FileError if anything written so far was lost.
  void commit();

 private:
  struct Entry {
    std::string name;  ///< of the temporary file or folder
    std::size_t slot = 0;
    std::ofstream stream;  ///< not open: a folder
  };

  void make_folder(const std::string& name);
  void make_folders_of(const std::string& file);
  void forget_all();

  std::string path_;       ///< as given
  std::string target_;     ///< without a slash at the end
  std::string temporary_;  ///< empty once committed
  std::list<Entry> entries_;
};

}  // namespace davsim::io
