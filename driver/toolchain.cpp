#include "driver/toolchain.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "driver/process.hpp"

namespace davsim::driver {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string cache_folder() {
  if (const char* own = std::getenv("DAVSIM_CC_CACHE")) return own;
  if (const std::string folder = environment("XDG_CACHE_HOME"); !folder.empty()) {
    return folder + "/davsim";
  }
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/davsim";
}

void set(Toolchain& toolchain, const std::string& key, const std::string& value,
         const std::string& file) {
  if (key == "version") {
    toolchain.version = value;
  } else if (key == "compiler") {
    toolchain.compiler = value;
  } else if (key == "linker") {
    toolchain.linker = value;
  } else if (key == "objcopy") {
    toolchain.objcopy = value;
  } else if (key == "archiver") {
    toolchain.archiver = value;
  } else if (key == "include") {
    // A list of CMake.
    std::istringstream folders(value);
    for (std::string folder; std::getline(folders, folder, ';');) {
      toolchain.includes.push_back(folder);
    }
  } else if (key == "flag") {
    toolchain.flags.push_back(value);
  } else if (key == "kernel_flag") {
    toolchain.kernel_flags.push_back(value);
  } else if (key == "link") {
    toolchain.link.push_back(value);
  } else {
    throw std::runtime_error(file + ": unknown key '" + key + "'");
  }
}

}  // namespace

Toolchain find_toolchain() {
  const std::filesystem::path program = std::filesystem::canonical("/proc/self/exe");
  const std::string root = program.parent_path().parent_path();
  const std::string file = root + "/lib/davsim/davsim-cc.conf";
  Toolchain toolchain;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (trimmed(line).empty() || trimmed(line)[0] == '#') continue;
    if (equals == line.npos) throw std::runtime_error(file + ": no = in '" + line + "'");
    std::string value = trimmed(line.substr(equals + 1));
    for (std::size_t at; (at = value.find("${root}")) != value.npos;) value.replace(at, 7, root);
    set(toolchain, trimmed(line.substr(0, equals)), value, file);
  }
  if (const std::string own = environment("DAVSIM_CXX");
      !own.empty() && own != toolchain.compiler) {
    toolchain.compiler = own;
    toolchain.kernel_flags.clear();  // a plugin fits one compiler
  }
  toolchain.cache = cache_folder();
  return toolchain;
}

}  // namespace davsim::driver
