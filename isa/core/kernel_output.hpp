// Where kernels print to.
#pragma once

#include <functional>
#include <string_view>

namespace davsim::isa {

/// Whoever takes what kernels print; empty for standard output, where they print at first.
void set_kernel_output(std::function<void(std::string_view)> output);

}  // namespace davsim::isa
