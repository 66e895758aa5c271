#include "isa/plugin/own_code.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>

namespace davsim::plugin {
namespace {

/// The path without links and relative parts; `file` itself if there is no such file.
std::string full_path(const char* file) {
  const std::unique_ptr<char, void (*)(void*)> path(realpath(file, nullptr), std::free);
  return path ? path.get() : file;
}

}  // namespace

bool OwnCode::holds(location_t where) {
  if (LOCATION_LOCUS(where) == UNKNOWN_LOCATION) return false;
  // A macro belongs to the file that uses it.
  const expanded_location at = expand_location(where);
  if (at.file == nullptr || at.file[0] == '<') return false;
  const auto known = files_.find(at.file);
  if (known != files_.end()) return known->second;
  bool own = at.sysp == 0;
  const std::string path = full_path(at.file);
  for (const std::string& folder : folders_) own = own && path.rfind(folder + "/", 0) != 0;
  return files_[at.file] = own;
}

bool OwnCode::is_number_type(const_tree function) {
  const char* file = DECL_SOURCE_FILE(function);
  return file != nullptr && std::strstr(file, "isa/numeric/") != nullptr;
}

}  // namespace davsim::plugin
