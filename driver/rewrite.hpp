// The sources that the compiler gets: the host's, with launches made calls, and one a kind of core.
//
// Lines stay where they are, so that messages and debug information point into the user's file.
#pragma once

#include <string>

#include "driver/scan.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {

enum class Half { kCube, kVector };

/// A launch becomes a call behind what the runtime has to know of it, and the body of a kernel
/// becomes the launch of both halves by the address of the function, which is the kernel's handle.
/// The compiler thus resolves overloads, deduces template arguments and converts what is passed.
std::string host_source(const TokenList& tokens, const Scan& scan);

/// A launch becomes a plain call, which instantiates templates and which nothing runs. Kernels that
/// do not need this half have an empty body.
std::string half_source(const TokenList& tokens, const Scan& scan, Half half);

bool needs(const Kernel& kernel, Half half);

}  // namespace davsim::driver
