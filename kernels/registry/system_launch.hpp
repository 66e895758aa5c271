// What launches of an operator on several dies need: communicators for the time of a run, and the
// kernel of a die with its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/kernel_registry.hpp"
#include "sim/device/device.hpp"

namespace davsim::operators {

/// A communicator of these dies, the first of them rank 0, that exists as long as this.
class Group {
 public:
  /// `window_bytes` at least; no less than what the system gives communicators.
  Group(sim::Device& device, std::string name, const std::vector<std::uint32_t>& dies,
        std::uint64_t window_bytes);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// What a kernel of the rank is handed.
  std::uint8_t* context(std::uint32_t rank) const { return contexts_.at(rank); }

 private:
  sim::Device& device_;
  std::string name_;
  std::vector<std::uint8_t*> contexts_;
};

/// The ranks' kernels of the next launch come from a process for each rank, which begin as far
/// apart as the system says.
void spread_next_launch(sim::Device& device);

/// A kernel on the cores of a die. The arguments have exactly the types of its parameters.
template <class... Args>
sim::DieLaunch kernel_launch(std::uint32_t die, std::string_view kernel, std::uint32_t blocks,
                             Args... args) {
  const isa::KernelEntry& entry = isa::find_kernel(kernel);
  const std::uint32_t sizes[] = {sizeof(Args)..., 0};
  isa::check_arguments(entry, sizes, sizeof...(Args));
  const auto half = [&](isa::KernelFunction function) -> std::function<void()> {
    if (function == nullptr) return {};
    return [=] { reinterpret_cast<void (*)(Args...)>(function)(args...); };
  };
  return {die, &entry, blocks, 0, half(entry.aic), half(entry.aiv)};
}

}  // namespace davsim::operators
