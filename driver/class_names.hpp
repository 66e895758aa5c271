// The classes that a source defines at namespace scope.
#pragma once

#include <map>
#include <string>

#include "driver/tokens.hpp"

namespace davsim::driver {

/// By the name with its namespaces, a::Tiling, the word that it is declared with: struct, class or
/// union. Templates and what lies in unnamed namespaces is left out.
std::map<std::string, std::string> class_names(const TokenList& tokens);

}  // namespace davsim::driver
