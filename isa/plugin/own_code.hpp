// Which statements of a translation unit are a kernel's own code.
#pragma once

#include "isa/plugin/compiler.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace davsim::plugin {

/// Code is a kernel's own unless it stands in a header of the kernel API or of the system. What
/// such a header's functions take is known to the scalar unit by the instructions that they issue.
class OwnCode {
 public:
  /// `folders` hold the headers of the kernel API.
  explicit OwnCode(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  bool holds(location_t where);
  bool holds(const gimple* statement) { return holds(gimple_location(statement)); }
  /// Whether code stands in a header of the kernel API.
  bool is_api(location_t where);
  /// Whether `function` is declared among the number types of the kernel API: half, bfloat16.
  bool is_number_type(const_tree function);

 private:
  enum class Kind { kOwn, kApi, kOther };
  Kind kind_of(location_t where);

  std::vector<std::string> folders_;
  std::unordered_map<const char*, Kind> files_;  ///< by the compiler's name of a file
};

}  // namespace davsim::plugin
