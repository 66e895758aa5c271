#include "io/pending_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "io/file_error.hpp"
#include "io/temporaries.hpp"

namespace davsim::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWritable = "an output file can be written";

/// The file that writing to `path` would change. Empty if it is no regular file: a rename would
/// replace it, /dev/null for one.
std::string target_of(const std::string& path) {
  if (path == kStandardStream) return "";
  std::error_code error;
  if (path.empty()) throw FileError("''", kWritable, "the name of an output file is empty");
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::directory) {
    throw FileError(path, kWritable, "it is a directory");
  }
  if (fs::exists(status)) {
    if (access(path.c_str(), W_OK) != 0) throw FileError(path, kWritable, std::strerror(errno));
    if (fs::is_socket(status) || fs::is_block_file(status)) {
      throw FileError(path, kWritable, "it is neither a file nor a pipe");
    }
    if (!fs::is_regular_file(status)) return "";
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

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != 0 ? folder : "/tmp";
}

/// Makes an empty file of this name, unless something has it.
bool make_empty(const std::string& path, const std::string& name) {
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0) {
    close(file);
    return true;
  }
  if (errno != EEXIST) throw FileError(path, kWritable, std::strerror(errno));
  return false;
}

}  // namespace

PendingFile::PendingFile(std::string path) : path_(std::move(path)), target_(target_of(path_)) {
  const std::string start = target_.empty() ? temporary_folder() + "/davsim" : target_;
  if (!target_.empty()) temporaries::remove_abandoned(target_);
  const temporaries::Making making;
  for (int attempt = 0;; ++attempt) {
    temporary_ = start + ".part-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    if (make_empty(path_, temporary_)) break;
  }
  slot_ = temporaries::remember(temporary_.c_str());
  stream_.open(temporary_, std::ios::binary);
}

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
  if (is_rewritten()) {
    copy_to_path();
    unlink(temporary_.c_str());
  } else if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    throw FileError(path_, kWritable, std::strerror(errno));
  }
  temporaries::forget(slot_);
  slot_ = temporaries::kMost;
  temporary_.clear();
}

void PendingFile::copy_to_path() const {
  const bool standard = path_ == kStandardStream;
  const int to = standard ? dup(STDOUT_FILENO) : open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  const int from = open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  bool good = to >= 0 && from >= 0;
  int cause = errno;
  std::vector<char> bytes(std::size_t{1} << 16);
  while (good) {
    const ssize_t got = read(from, bytes.data(), bytes.size());
    if (got == 0) break;
    good = got > 0;
    for (ssize_t done = 0; good && done < got;) {
      const ssize_t written = write(to, bytes.data() + done, static_cast<std::size_t>(got - done));
      if (written < 0 && errno == EINTR) continue;
      good = written > 0;
      done += written;
    }
    cause = errno;
  }
  if (from >= 0) close(from);
  if (to >= 0 && close(to) != 0 && good) good = false, cause = errno;
  if (!good) {
    throw FileError(standard ? "standard output" : path_, kWritable, std::strerror(cause));
  }
}

}  // namespace davsim::io
