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
  return kind_of(where) == Kind::kOwn;
}

bool OwnCode::is_api(location_t where) {
  return kind_of(where) == Kind::kApi;
}

OwnCode::Kind OwnCode::kind_of(location_t where) {
  if (LOCATION_LOCUS(where) == UNKNOWN_LOCATION) return Kind::kOther;
  // A macro belongs to the file that uses it.
  const expanded_location at = expand_location(where);
  if (at.file == nullptr || at.file[0] == '<') return Kind::kOther;
  const auto known = files_.find(at.file);
  if (known != files_.end()) return known->second;
  Kind kind = at.sysp == 0 ? Kind::kOwn : Kind::kOther;
  const std::string path = full_path(at.file);
  for (const std::string& folder : folders_) {
    if (path.rfind(folder + "/", 0) == 0) kind = Kind::kApi;
  }
  return files_[at.file] = kind;
}

bool OwnCode::is_number_type(const_tree function) {
  const char* file = DECL_SOURCE_FILE(function);
  return file != nullptr && std::strstr(file, "isa/numeric/") != nullptr;
}

}  // namespace davsim::plugin
