// Whole numbers as sources write them: tiling keys, and conditions on TILING_KEY_VAR.
#pragma once

#include <cstdint>
#include <string_view>

namespace davsim::opbuild {

/// The value of an expression of literals, TILING_KEY_VAR, which is `key`, parentheses and the
/// operators of C's preprocessor without ?: and shifts. As there, truth is 1.
/// Throws std::invalid_argument saying what is wrong with it.
std::uint64_t evaluate(std::string_view expression, std::uint64_t key);

}  // namespace davsim::opbuild
