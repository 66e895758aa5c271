// Kernels that are named like functions of the C library, as operators often are: asinh, div, fmax.
#pragma once

#include <string_view>
#include <vector>

#include "driver/class_specialisation.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {

/// Whether the C library has a function of this name that headers of C++ declare.
bool is_library_name(std::string_view name);

/// Makes functions of C++ of kernels that are functions of C with such a name. The device knows no
/// C library; here a second function of C would be the first one with other parameters, while one
/// of C++ is an overload.
std::vector<Replacement> kernels_with_library_names(const TokenList& tokens);

/// How declarations of such kernels begin, "void asinh(": sources with none need no rewriting.
const std::vector<std::string_view>& declarations_with_library_names();

}  // namespace davsim::driver
