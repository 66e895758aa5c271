#include "driver/object_cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <utility>

namespace davsim::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostObjects = 200;

}  // namespace

void drop_oldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.emplace_back(entry.last_write_time(), entry.path());
  }
  if (files.size() <= kMostObjects) return;
  std::sort(files.begin(), files.end());
  std::error_code ignored;
  for (std::size_t i = 0; i < files.size() - kMostObjects; ++i)
    fs::remove(files[i].second, ignored);
}

std::string hexadecimal(std::size_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016zx", number);
  return text;
}

std::string identity_of(const std::string& program) {
  std::error_code error;
  fs::path path = program;
  if (program.find('/') == program.npos) path = fs::path("/usr/bin") / program;
  path = fs::canonical(path, error);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return program;
  return path.string() + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec) +
         "\n";
}

std::string identity_of(const Toolchain& toolchain) {
  std::string identity = identity_of("/proc/self/exe") + identity_of(toolchain.compiler);
  for (const std::string& flag : toolchain.kernel_flags) {
    if (constexpr std::string_view kPlugin = "-fplugin="; flag.starts_with(kPlugin)) {
      identity += identity_of(flag.substr(kPlugin.size()));
    }
  }
  return identity;
}

ObjectCache::ObjectCache(const Toolchain& toolchain) {
  if (toolchain.cache.empty()) return;
  folder_ = toolchain.cache + "/objects";
  contents_ = identity_of(toolchain);
}

void ObjectCache::add(const std::vector<std::string>& flags, std::string_view text) {
  if (folder_.empty()) return;
  for (const std::string& flag : flags) contents_ += flag + '\n';
  contents_ += text;
}

std::string ObjectCache::file() const {
  // Two hashes, because one of 64 bits is not enough to stand for a source.
  const std::hash<std::string> hash;
  return folder_ + "/" + hexadecimal(hash(contents_)) + hexadecimal(hash("again" + contents_)) +
         ".o";
}

bool ObjectCache::fetch(const std::string& path) const {
  if (folder_.empty()) return false;
  std::error_code error;
  const std::string kept = file();
  fs::copy_file(kept, path, fs::copy_options::overwrite_existing, error);
  if (error) return false;
  fs::last_write_time(kept, fs::file_time_type::clock::now(), error);
  return true;
}

void ObjectCache::store(const std::string& path) const {
  if (folder_.empty()) return;
  try {
    fs::create_directories(folder_);
    // It appears when it is complete.
    const std::string draft = folder_ + "/draft." + std::to_string(getpid());
    fs::copy_file(path, draft, fs::copy_options::overwrite_existing);
    fs::rename(draft, file());
    drop_oldest(folder_);
  } catch (const fs::filesystem_error&) {
    // Without it everything works as well.
  }
}

}  // namespace davsim::driver
