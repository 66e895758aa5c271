#include "io/pending_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "io/file_error.hpp"
#include "io/temporaries.hpp"

namespace davsim::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWritable = "an output file can be written";

/// The file that writing to `path` would change. Anything but a regular file is refused: a rename
/// would replace it, /dev/null for one.
std::string target_of(const std::string& path) {
  std::error_code error;
  if (path.empty()) throw FileError("''", kWritable, "the name of an output file is empty");
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::directory) {
    throw FileError(path, kWritable, "it is a directory");
  }
  if (fs::exists(status)) {
    if (!fs::is_regular_file(status)) throw FileError(path, kWritable, "it is no regular file");
    if (access(path.c_str(), W_OK) != 0) throw FileError(path, kWritable, std::strerror(errno));
  }
  // Link by link: a link to a file that is yet to be made has no canonical form.
  fs::path target = path;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    if (links == 40) throw FileError(path, kWritable, std::strerror(ELOOP));
    const fs::path next = fs::read_symlink(target, error);
    if (error) throw FileError(path, kWritable, error.message());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

/// Makes an empty file beside `target` under a name that nothing has yet.
std::string make_temporary(const std::string& path, const std::string& target) {
  for (int attempt = 0;; ++attempt) {
    std::string name = target + ".part-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return name;
    }
    if (errno != EEXIST) throw FileError(path, kWritable, std::strerror(errno));
  }
}

}  // namespace

PendingFile::PendingFile(std::string path)
    : path_(std::move(path)),
      target_(target_of(path_)),
      temporary_(make_temporary(path_, target_)),
      stream_(temporary_, std::ios::binary),
      slot_(temporaries::remember(temporary_.c_str())) {}

PendingFile::~PendingFile() {
  temporaries::forget(slot_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void PendingFile::commit() {
  errno = 0;
  stream_.close();
  if (!stream_) {
    const std::string cause = errno != 0 ? std::strerror(errno) : "the write failed";
    throw FileError(path_, kWritable, cause);
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    throw FileError(path_, kWritable, std::strerror(errno));
  }
  temporaries::forget(slot_);
  slot_ = temporaries::kMost;
  temporary_.clear();
}

}  // namespace davsim::io
