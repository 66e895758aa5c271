// Runs one attention problem on a device.
#pragma once

#include "kernels/attention/problem.hpp"
#include "sim/device.hpp"

namespace davsim::ops::attention {

/// Computes out and lse of `problem`, whose tensors lie in the device's global memory. Workspace
/// and tables that the kernel needs are allocated there for the launch.
/// Throws isa::Fault if the kernel goes wrong, std::bad_alloc if global memory is full.
traces::LaunchReport launch(const Problem& problem, sim::Device& device);

}  // namespace davsim::ops::attention
