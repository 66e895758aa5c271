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

namespace davsim::operators::attention {

/// What the kernel cannot do of a problem, in words; nothing if it can do all of it.
std::optional<std::string> unsupported(const Problem& problem);

/// Computes out and lse of `problem`, whose tensors are in the device's global memory. The
/// workspace and the lists of the kernel are allocated there for the launch.
/// Throws isa::Fault if the kernel goes wrong, std::bad_alloc if global memory is full,
/// std::invalid_argument for what unsupported() names.
observe::LaunchReport launch(const Problem& problem, sim::Device& device);

/// All parameters of the kernel of a problem: the tiling, and the lists and the workspace in global
/// memory to which it points. They exist as long as this object. It is for kernels that are more
/// than attention; others call launch().
class Preparation {
 public:
  /// Throws as launch() does, except for the kernel's fault.
  Preparation(const Problem& problem, sim::Device& device);

  const AttentionTiling& tiling() const { return tiling_; }
  std::uint32_t block_dim() const { return block_dim_; }

 private:
  AttentionTiling tiling_;
  std::uint32_t block_dim_ = 1;
  std::vector<Scratch> memory_;
};

}  // namespace davsim::operators::attention
