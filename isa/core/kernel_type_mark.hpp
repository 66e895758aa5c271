// What a kernel's source says of the cores it runs on, where the kernel registry finds it.
#pragma once

#include <cstdint>

#include "isa/core/core_sink.hpp"

namespace davsim::isa {

/// Left by KERNEL_TASK_TYPE_DEFAULT and KERNEL_TASK_TYPE in the section `davsim_ktype` of a
/// kernel's object. As large as it is aligned, so that marks follow each other without gaps.
struct alignas(32) KernelTypeMark {
  const char* kernel;
  KernelType type;
  bool keyed;                ///< said of one tiling key
  std::uint64_t tiling_key;  ///< which
};
static_assert(sizeof(KernelTypeMark) == 32);

}  // namespace davsim::isa
