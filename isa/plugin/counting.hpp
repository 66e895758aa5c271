// Makes a function count the instructions that its own code would take on the scalar unit.
#pragma once

#include "isa/plugin/own_code.hpp"

namespace davsim::plugin {

/// Adds to `fun` what counts its own code. Does nothing if the function has none.
void count_own_code(function* fun, OwnCode& own);
/// Adds to `fun` what counts its calls of operators of half and bfloat16.
void count_numbers(function* fun, OwnCode& own);

}  // namespace davsim::plugin
