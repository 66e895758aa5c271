// Static variables of functions, such as `static int next = 0;`, in sources of kernels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/tokens.hpp"

namespace davsim::driver {

/// What a half has in addition before `token`.
struct Insertion {
  std::size_t token;
  std::string text;
};

/// Behind each declaration, what makes its variables the core's own: isa/core/block_local.hpp. Only
/// declarations are seen that begin a statement, without const and parentheses before the name.
std::vector<Insertion> own_statics(const TokenList& tokens);

/// How such declarations often begin: sources with none need no rewriting for them.
std::vector<std::string> common_statics();

}  // namespace davsim::driver
