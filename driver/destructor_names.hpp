// Destructors that name the arguments of their template, ~Kernel<T>(), which C++17 allows and g++
// 12 refuses in C++20.
#pragma once

#include <vector>

#include "driver/class_specialisation.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {

/// Takes the template arguments out of the declarations of destructors. ~f<T>() in an expression
/// stays as it is: it may be the complement of what a function returns.
std::vector<Replacement> destructors_with_arguments(const TokenList& tokens);

}  // namespace davsim::driver
