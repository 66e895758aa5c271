// Runs one attention problem on a device.
#pragma once

#include <optional>
#include <string>

#include "kernels/attention/problem.hpp"
#include "sim/device.hpp"

namespace davsim::ops::attention {

/// What of a problem the kernel cannot do, in words; none: it can do all of it.
std::optional<std::string> unsupported(const Problem& problem);

/// Computes out and lse of `problem`, whose tensors lie in the device's global memory. Workspace
/// and lists that the kernel needs are allocated there for the launch.
/// Throws isa::Fault if the kernel goes wrong, std::bad_alloc if global memory is full,
/// std::invalid_argument for what unsupported() names.
traces::LaunchReport launch(const Problem& problem, sim::Device& device);

}  // namespace davsim::ops::attention
