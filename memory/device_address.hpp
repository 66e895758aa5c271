// From an address of the host to one of the device.
#pragma once

#include <cstdint>

#include "isa/core/static_data.hpp"

namespace davsim::memory {

/// Device address of what a kernel accesses at `addr`: all global memory lies from `gm_base` on,
/// that of other dies behind that of the first one, and what lies elsewhere are variables of
/// kernels.
inline std::uint64_t device_address(std::uint64_t addr, std::uint64_t gm_base) {
  constexpr std::uint64_t kLargestSystem = std::uint64_t{1} << 45;  // bytes
  const std::uint64_t offset = addr - gm_base;
  return offset < kLargestSystem ? offset : isa::device_address_of_static_data(addr);
}

}  // namespace davsim::memory
