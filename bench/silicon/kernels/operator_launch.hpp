// Kernels of this project's operators that stand for a vendor's.
#pragma once

#include "bench/silicon/kernels/preamble.hpp"
#include "sim/device/device.hpp"

namespace davsim::silicon {

/// Launches the kernel of an operator behind what the vendor's kernel reads or does first. What the
/// operator's kernel executes on the scalar unit takes time, because it stands for what the
/// vendor's does.
template <class First, class... Args>
observe::LaunchReport launch_for_vendor(sim::Device& device, const First& first,
                                        std::string_view kernel, std::uint32_t block_dim,
                                        Args... args) {
  isa::KernelEntry entry = isa::find_kernel(kernel);
  entry.traits.scalar_work = true;
  const auto half = [&](isa::KernelFunction function) -> std::function<void()> {
    if (function == nullptr) return {};
    return [=] {
      first();
      reinterpret_cast<void (*)(Args...)>(function)(args...);
    };
  };
  return device.launch(entry, block_dim, half(entry.aic), half(entry.aiv));
}

}  // namespace davsim::silicon
