// Kernels by name: each is compiled once for the cube and once for the vector core (see
// cmake/DavsimKernel.cmake) and both halves are registered here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/core/core_sink.hpp"

namespace davsim::isa {

/// A kernel function with its parameters erased; the launch casts it back.
using KernelFunction = void (*)();

struct KernelEntry {
  std::string name;
  KernelType type = KernelType::kAivOnly;
  KernelFunction aic = nullptr;
  KernelFunction aiv = nullptr;
  /// Types of single tiling keys.
  std::vector<std::pair<std::uint64_t, KernelType>> keyed_types = {};

  KernelType type_for(std::uint64_t tiling_key) const;
};

/// Throws std::invalid_argument naming the kernels that exist.
const KernelEntry& find_kernel(std::string_view name);
std::vector<std::string> kernel_names();

/// Registers a kernel during static initialisation. What the kernel's source says overrides `type`:
/// a KERNEL_TASK_TYPE_DEFAULT, else a qualifier (__vector__, __cube__, __mix__) of its function.
struct KernelRegistrar {
  KernelRegistrar(const char* name, KernelType type, KernelFunction aic, KernelFunction aiv);
};

}  // namespace davsim::isa
