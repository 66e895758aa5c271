// The arguments of a launch, kernel<<<...>>>(arguments).
#pragma once

#include <vector>

#include "driver/scan.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {

/// Those that may be pointers. Constants, which may be null pointers as they stand, are left out,
/// and so is what cannot be told from a part of an argument, as the b of f<a, b>(x).
std::vector<TokenRange> pointer_arguments(const TokenList& tokens, const Launch& launch);

}  // namespace davsim::driver
