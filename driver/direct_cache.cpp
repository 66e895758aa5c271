#include "driver/direct_cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "driver/file_states.hpp"
#include "driver/process.hpp"

namespace davsim::driver {
namespace {

namespace fs = std::filesystem;

/// Everything but the content of files that decides what a source becomes.
std::string command_of(const Options& options, const Toolchain& toolchain,
                       const std::string& source) {
  std::string command = identity_of(toolchain) + fs::current_path().string() + "\n" + source + "\n";
  const auto add = [&command](const std::vector<std::string>& words) {
    for (const std::string& word : words) command += word + "\n";
    command += "\n";
  };
  add(toolchain.includes);
  add(toolchain.flags);
  add(toolchain.kernel_flags);
  add(options.preprocessor);
  add(options.compiler);
  add(options.sanitizers);
  add(options.dependencies);
  add({options.standard, options.optimisation, options.cpu_mode ? "cpu" : "npu",
       options.auto_sync ? "synchronised" : "as written",
       options.launch_functions ? "launch functions" : ""});
  for (const char* variable :
       {"CPATH", "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH", "LC_ALL", "LANG"}) {
    const char* value = std::getenv(variable);
    command += std::string(value == nullptr ? "" : value) + "\n";
  }
  return command;
}

bool names_the_time(const std::set<std::string>& files) {
  return std::any_of(files.begin(), files.end(), [](const std::string& path) {
    if (path.starts_with("/usr/")) return false;
    const std::string text = read_file(path);
    return text.find("__TIME") != text.npos || text.find("__DATE__") != text.npos;
  });
}

}  // namespace

std::string dependency_file(const Options& options, const std::string& object) {
  if (!options.dependency_file.empty()) return options.dependency_file;
  return fs::path(object).replace_extension(".d");
}

DirectCache::DirectCache(const Options& options, const Toolchain& toolchain,
                         const std::string& source, const std::string& object)
    : options_(options), source_(source), object_(object) {
  // The headers that declare launches are written beside the object.
  if (toolchain.cache.empty() || !options.launch_headers.empty()) return;
  std::string command = command_of(options, toolchain, source);
  if (options.writes_dependencies) {
    command += options.dependency_target.empty() ? object : options.dependency_target;
  }
  file_ = toolchain.cache + "/sources/" + content_key(command);
  began_ = file_clock_now();
}

std::string DirectCache::rule_file() const {
  return options_.writes_dependencies ? dependency_file(options_, object_) : "";
}

bool DirectCache::fetch() const {
  if (file_.empty()) return false;
  try {
    // The object's name in the first line, then the files.
    const std::string known = read_file(file_);
    const std::size_t end = known.find('\n');
    if (end == known.npos || !describes_files(known.substr(end + 1))) return false;
    const std::string kept = known.substr(0, end);
    if (!rule_file().empty()) write_file(rule_file(), read_file(file_ + ".d"));
    fs::copy_file(kept, object_, fs::copy_options::overwrite_existing);
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(kept, now);
    fs::last_write_time(file_, now);
    return true;
  } catch (const std::runtime_error&) {
    return false;  // nothing is known, or the object has gone
  }
}

void DirectCache::store(const ObjectCache& cache, const std::set<std::string>& files) const {
  if (file_.empty()) return;
  try {
    if (names_the_time(files)) return;
    const std::string description = describe_files(files, began_);
    if (description.empty()) return;
    fs::create_directories(fs::path(file_).parent_path());
    if (!rule_file().empty()) write_file(file_ + ".d", read_file(rule_file()));
    write_file(file_, cache.file() + "\n" + description);
    drop_oldest(fs::path(file_).parent_path());
  } catch (const std::runtime_error&) {
    // Without it everything works as well.
  }
}

}  // namespace davsim::driver
