// Functions that only device code calls: those declared with __aicore__ or [aicore].
#pragma once

#include <string_view>
#include <vector>

#include "driver/scan.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {

/// What __aicore__ is for the preprocessor of the host's compilation, so that it is still seen
/// behind it.
inline constexpr std::string_view kDeviceMark = "__davsim_device__";

/// The bodies of device functions of which host code needs no more than their declarations: nothing
/// but device code names them. Those of kernels are not among them; nor are those of constexpr
/// functions, of operators, and of functions whose type the body decides.
std::vector<TokenRange> device_bodies(const TokenList& tokens, const Scan& scan);

}  // namespace davsim::driver
