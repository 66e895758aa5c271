// Explicit specialisations within a class, template <> void f<half>(), which the standard allows
// (CWG 727) and g++ 12 refuses.
#pragma once

#include <string>
#include <vector>

#include "driver/scan.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {

/// Tokens to be replaced, or to be inserted before `tokens.begin` where the range is empty.
struct Replacement {
  TokenRange tokens;
  std::string text;
};

/// Makes partial specialisations of those of classes, and constrained overloads of those of
/// functions: both are legal in a class and mean the same. What cannot be read stays as it is, and
/// is the compiler's to refuse.
std::vector<Replacement> class_specialisations(const TokenList& tokens);

}  // namespace davsim::driver
