#include "io/pending_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "io/file_error.hpp"
#include "io/temporaries.hpp"

namespace davsim::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderWritable = "an output folder can be made, or is there and empty";

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

void require_room(const std::string& path) {
  std::error_code error;
  if (path.empty()) throw FileError("''", kFolderWritable, "the name of an output folder is empty");
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status))
    throw FileError(path, kFolderWritable, "it is there and no folder");
  const bool empty = fs::is_empty(path, error);
  if (error) throw FileError(path, kFolderWritable, error.message());
  if (!empty) throw FileError(path, kFolderWritable, "it is there and not empty");
}

}  // namespace

PendingDirectory::PendingDirectory(std::string path)
    : path_(std::move(path)), target_(without_slash(path_)) {
  require_room(target_);
  temporaries::remove_abandoned(target_);
  for (int attempt = 0;; ++attempt) {
    temporary_ = target_ + ".part-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    if (!fs::exists(fs::symlink_status(temporary_))) break;
  }
  make_folder(temporary_);
}

PendingDirectory::~PendingDirectory() {
  // The names are known, so that no folder has to be listed: that fails where the host grants no
  // further file. What is in a folder was made after the folder.
  for (auto entry = entries_.rbegin(); !temporary_.empty() && entry != entries_.rend(); ++entry) {
    if (entry->stream.is_open()) entry->stream.close();
    std::remove(entry->name.c_str());
  }
  forget_all();
}

void PendingDirectory::make_folder(const std::string& name) {
  const temporaries::Making making;
  Entry& entry = entries_.emplace_back();
  entry.name = name;
  entry.slot = temporaries::remember(entry.name.c_str());
  if (mkdir(name.c_str(), 0777) == 0) return;
  const int cause = errno;
  temporaries::forget(entry.slot);
  entries_.pop_back();
  throw FileError(path_, kFolderWritable, std::strerror(cause));
}

void PendingDirectory::make_folders_of(const std::string& file) {
  for (std::size_t i = file.find('/'); i != std::string::npos; i = file.find('/', i + 1)) {
    const std::string folder = temporary_ + "/" + file.substr(0, i);
    if (!fs::exists(folder)) make_folder(folder);
  }
}

std::ostream& PendingDirectory::file(const std::string& name) {
  make_folders_of(name);
  const temporaries::Making making;
  Entry& entry = entries_.emplace_back();
  entry.name = temporary_ + "/" + name;
  entry.slot = temporaries::remember(entry.name.c_str());
  entry.stream.open(entry.name, std::ios::binary);
  if (!entry.stream) throw FileError(path_ + "/" + name, kFolderWritable, std::strerror(errno));
  return entry.stream;
}

void PendingDirectory::commit() {
  for (Entry& entry : entries_) {
    if (!entry.stream.is_open()) continue;
    errno = 0;
    entry.stream.close();
    if (entry.stream) continue;
    const std::string name = path_ + entry.name.substr(temporary_.size());
    throw FileError(name, kFolderWritable, errno != 0 ? std::strerror(errno) : "the write failed");
  }
  // Takes the place of an empty folder, and of nothing else.
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    throw FileError(
        path_, kFolderWritable,
        errno == ENOTEMPTY || errno == EEXIST ? "it is there and not empty" : std::strerror(errno));
  }
  forget_all();
  temporary_.clear();
}

void PendingDirectory::forget_all() {
  for (const Entry& entry : entries_) temporaries::forget(entry.slot);
}

}  // namespace davsim::io
