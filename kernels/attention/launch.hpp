// Runs one attention problem on a device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/attention/attention_tiling.h"
#include "kernels/attention/problem.hpp"
#include "kernels/attention/scratch.hpp"
#include "sim/device/device.hpp"

namespace davsim::ops::attention {

/// What of a problem the kernel cannot do, in words; none: it can do all of it.
std::optional<std::string> unsupported(const Problem& problem);

/// Computes out and lse of `problem`, whose tensors lie in the device's global memory. Workspace
/// and lists that the kernel needs are allocated there for the launch.
/// Throws isa::Fault if the kernel goes wrong, std::bad_alloc if global memory is full,
/// std::invalid_argument for what unsupported() names.
observe::LaunchReport launch(const Problem& problem, sim::Device& device);

/// Everything that the kernel of a problem takes: the tiling, and in global memory the lists and
/// the workspace it points to, for as long as this lives. For kernels that are more than attention;
/// others call launch().
class Preparation {
 public:
  /// Throws as launch() does, but for the kernel.
  Preparation(const Problem& problem, sim::Device& device);

  const AttentionTiling& tiling() const { return tiling_; }
  std::uint32_t block_dim() const { return block_dim_; }

 private:
  AttentionTiling tiling_;
  std::uint32_t block_dim_ = 1;
  std::vector<Scratch> memory_;
};

}  // namespace davsim::ops::attention
