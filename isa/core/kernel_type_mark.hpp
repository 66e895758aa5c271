// The mark in the object of a kernel that says on which cores the kernel runs, as its source has
// it. The kernel registry reads it.
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
