#include "runtime/aclnn/installed_operators.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "davsim/operator_call.h"
#include "runtime/core/api_error.hpp"
#include "runtime/op_host/library.hpp"
#include "runtime/op_host/registry.hpp"

namespace davsim::runtime {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Entries of a folder, by name; none where there is no folder.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::vector<fs::path> installed_libraries() {
  std::vector<fs::path> packages;
  std::istringstream custom(environment("ASCEND_CUSTOM_OPP_PATH"));
  for (std::string folder; std::getline(custom, folder, ':');) {
    if (!folder.empty()) packages.emplace_back(folder);
  }
  if (const std::string all = environment("ASCEND_OPP_PATH"); !all.empty()) {
    for (const fs::path& vendor : entries_of(fs::path(all) / "vendors")) packages.push_back(vendor);
  }
  std::vector<fs::path> libraries;
  for (const fs::path& package : packages) {
    for (const fs::path& file : entries_of(package / "op_impl/ai_core/davsim")) {
      if (file.extension() == ".so") libraries.push_back(file);
    }
  }
  return libraries;
}

}  // namespace

bool is_registered(const std::string& type) {
  const std::vector<std::string> all = op_host::registered_operators();
  return std::find(all.begin(), all.end(), type) != all.end();
}

void show_simulator() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&davsim_operator_prepare), &info) == 0) return;
  dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

void load_installed_operator(const std::string& type) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (is_registered(type)) return;
  show_simulator();
  std::string looked;
  for (const fs::path& file : installed_libraries()) {
    looked += (looked.empty() ? "" : ", ") + file.string();
    try {
      op_host::load_library(file.string());
    } catch (const std::invalid_argument& error) {
      looked += std::string(" (") + error.what() + ")";
    }
    if (is_registered(type)) return;
  }
  throw ApiError(ACL_ERROR_OP_NOT_FOUND,
                 "operator " + type + " is in no package that is installed in ASCEND_OPP_PATH or " +
                     "ASCEND_CUSTOM_OPP_PATH" + (looked.empty() ? "" : ": " + looked) +
                     ". Operators of the vendor's are not here");
}

}  // namespace davsim::runtime
