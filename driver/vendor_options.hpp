// Options that build files pass to the vendor's compilers and that g++ does not know.
#pragma once

#include <span>
#include <string_view>

namespace davsim::driver {

/// Whether the simulated device has what the option chooses only in one way.
bool is_known_without_effect(std::string_view argument);
/// The same of a value of -mllvm, "-cce-aicore-stack-size=0x8000".
bool is_of_code_generator(std::string_view value);

/// Whether the option is one of clang's, of which the vendor's compilers are made, that says how
/// messages look or where the compiler finds its own parts.
bool is_clangs(std::string_view argument);
/// Such options with a value, attached by = or next.
std::span<const std::string_view> clangs_pairs();

/// Whether davsim simulates the architecture.
bool is_architecture(std::string_view name);

}  // namespace davsim::driver
