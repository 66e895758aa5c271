// aclrtlaunch_<kernel>(blocks, stream, arguments...): how host code that another compiler takes
// launches a kernel.
#pragma once

#include <string>

#include "driver/scan.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {

/// Definitions of these functions, to stand at the end of the host's source: for each kernel that
/// is defined here and has no template parameters. Throws std::invalid_argument for two of one
/// name.
std::string launch_functions(const TokenList& tokens, const Scan& scan);

/// Writes folder/aclrtlaunch_<kernel>.h for each of them: a declaration for C and C++ and
/// ACLRT_LAUNCH_KERNEL(kernel). Pointers to global memory are void*. Files that would not change
/// stay.
void write_launch_headers(const TokenList& tokens, const Scan& scan, const std::string& folder);

}  // namespace davsim::driver
