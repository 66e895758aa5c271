// Kernels by name: each is compiled once for the cube and once for the vector core (see
// cmake/DavsimKernel.cmake) and both halves are registered here.
#pragma once

#include <string>
#include <string_view>
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
};

/// Throws std::invalid_argument naming the kernels that exist.
const KernelEntry& find_kernel(std::string_view name);
std::vector<std::string> kernel_names();

/// Registers a kernel during static initialisation. A KERNEL_TASK_TYPE_DEFAULT in the kernel's
/// source overrides `type`.
struct KernelRegistrar {
  KernelRegistrar(const char* name, KernelType type, KernelFunction aic, KernelFunction aiv);
};

/// Left by KERNEL_TASK_TYPE_DEFAULT in the section `davsim_ktype` of a kernel's object.
struct KernelTypeMark {
  const char* kernel;
  KernelType type;
};

}  // namespace davsim::isa
