// Names of a kernel's own that are words of C++20: the vendor's compiler takes kernels as C++17,
// where a variable may be called `requires` or `concept`.
#pragma once

#include <string>
#include <vector>

#include "driver/class_specialisation.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {

/// Renames such names, wherever the source says them. A file that uses the word as C++20 does keeps
/// it.
std::vector<Replacement> names_of_younger_words(const TokenList& tokens);

/// Whether messages of the compiler are about such a word.
bool blames_younger_words(const std::string& log);

}  // namespace davsim::driver
