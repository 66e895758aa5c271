// The contexts of the communicators that a launch hands to its kernel.
#pragma once

#include "ascendc/emit.h"
#include "isa/core/collectives.hpp"

namespace AscendC {

constexpr std::uint32_t HCCL_GROUP_ID_0 = 0;
constexpr std::uint32_t HCCL_GROUP_ID_1 = 1;

/// Null where the launch has no such communicator.
template <std::uint32_t index>
__gm__ std::uint8_t* GetHcclContext() {
  static_assert(index < 2, "an operator has at most two communicators: GetHcclContext<0> and <1>");
  std::uint8_t* const own = davsim::api::registers().hccl_contexts[index];
  return own != nullptr ? own : ::g_hcclContextReserved[index];
}
template <std::uint32_t index>
void SetHcclContext(__gm__ std::uint8_t* context) {
  static_assert(index < 2, "an operator has at most two communicators: SetHcclContext<0> and <1>");
  davsim::api::registers().hccl_contexts[index] = context;
}

}  // namespace AscendC
