// Operators of libraries that operator projects were built to.
#pragma once

#include <string>

namespace davsim::op_library {

/// Loads a library that davsim_add_operators built, for the rest of the process, and registers its
/// operators under the names of their types. Throws std::invalid_argument if the file is no such
/// library, or if an operator of its has a name that is taken.
void load_operators(const std::string& path);

}  // namespace davsim::op_library
