// The kernels that were measured on silicon, rebuilt, and kernels of ours that do the same work as
// a measured one. Each registers itself under the name that measurements.csv uses.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/silicon/params.hpp"
#include "sim/device/device.hpp"

namespace davsim::silicon {

struct Kernel {
  std::string name;
  std::string what;  ///< one line for `--list`
  /// Allocates what it needs and returns the launches of one measured call.
  std::function<std::function<observe::LaunchReport()>(sim::Device&, const Params&)> prepare;
  bool needs_values = false;  ///< of several dies: its control flow depends on values
  /// Calls of the high-level API in it, "Matmul, AscendDequant"; empty for basic calls alone.
  std::function<std::string(const Params&)> high_level = {};
};

/// The kernel with these calls of the high-level API, whatever its parameters are.
Kernel by_high_level(std::string calls, Kernel kernel);

/// Registers a kernel during static initialisation.
struct KernelRegistrar {
  explicit KernelRegistrar(Kernel kernel);
};
const std::vector<Kernel>& kernels();
/// Throws std::invalid_argument for an unknown name.
const Kernel& find_kernel(const std::string& name);

}  // namespace davsim::silicon
