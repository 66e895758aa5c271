// The types that a source defines at namespace scope.
#pragma once

#include <map>
#include <string>

#include "driver/tokens.hpp"

namespace davsim::driver {

struct DefinedType {
  /// What declares it without its definition, struct Tiling; empty: nothing can, as of an
  /// enumeration or of typedef struct {...} Tiling.
  std::string declaration;
  std::string file;  ///< that defines it
};

/// By the name with its namespaces, a::Tiling. Templates and what lies in unnamed namespaces are
/// left out.
std::map<std::string, DefinedType> type_names(const TokenList& tokens);

}  // namespace davsim::driver
