#include "driver/file_states.hpp"

#include <sys/stat.h>
#include <time.h>

#include <functional>
#include <optional>
#include <sstream>

#include "driver/object_cache.hpp"
#include "driver/process.hpp"

namespace davsim::driver {
namespace {

struct FileState {
  std::int64_t size = 0, time = 0;
};

constexpr std::int64_t kSecond = 1'000'000'000;
/// The kernel takes the times of files from a clock that may be so far behind.
constexpr std::int64_t kClockStep = kSecond / 100;

std::optional<FileState> state_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileState{status.st_size, status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec};
}

}  // namespace

std::string content_key(std::string_view text) {
  const std::hash<std::string_view> hash;
  return hexadecimal(hash(text)) + hexadecimal(hash("again" + std::string(text)));
}

std::int64_t file_clock_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

std::string describe_files(const std::set<std::string>& files, std::int64_t since) {
  std::ostringstream description;
  for (const std::string& path : files) {
    const std::optional<FileState> state = state_of(path);
    if (!state || state->time > since - kClockStep) return {};
    try {
      description << state->size << ' ' << state->time << ' ' << content_key(read_file(path)) << ' '
                  << path << '\n';
    } catch (const std::runtime_error&) {
      return {};
    }
  }
  return description.str();
}

bool describes_files(const std::string& description) {
  std::istringstream lines(description);
  FileState known;
  std::string content, path;
  bool any = false;
  while (lines >> known.size >> known.time >> content && lines.get() == ' ' &&
         std::getline(lines, path)) {
    any = true;
    const std::optional<FileState> now = state_of(path);
    if (!now || now->size != known.size) return false;
    if (now->time == known.time) continue;
    try {
      if (content_key(read_file(path)) != content) return false;
    } catch (const std::runtime_error&) {
      return false;
    }
  }
  return any;
}

std::set<std::string> prerequisites(const std::string& rule) {
  std::set<std::string> files;
  const std::size_t colon = rule.find(':');
  std::istringstream words(colon == rule.npos ? "" : rule.substr(colon + 1));
  for (std::string word; words >> word;) {
    if (word != "\\") files.insert(word);
  }
  return files;
}

void add_marked_files(std::string_view preprocessed, std::set<std::string>& files) {
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
    const std::string_view line = preprocessed.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("# ")) continue;
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (open == close || line[open + 1] == '<') continue;
    const std::string file(line.substr(open + 1, close - open - 1));
    // The folder of the compiler, with two slashes at its end, and a name of #line are no files.
    if (state_of(file)) files.insert(file);
  }
}

}  // namespace davsim::driver
