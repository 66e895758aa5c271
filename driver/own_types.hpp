// Types of a kernel that are named like something of the API, such as class RmsNorm, in sources
// that say `using namespace AscendC`.
#pragma once

#include <string_view>
#include <vector>

#include "driver/class_specialisation.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {

/// Renames such types of the global namespace, wherever the source names them. The API brings all
/// of itself by kernel_operator.h, and such a name would be ambiguous; the vendor's headers bring
/// less.
std::vector<Replacement> own_types_with_api_names(const TokenList& tokens);

/// How definitions of such types begin, "class RmsNorm": sources with none need no rewriting.
std::vector<std::string_view> definitions_with_api_names();

}  // namespace davsim::driver
