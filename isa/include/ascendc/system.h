// Who am I, what time is it, where is my workspace.
#pragma once

#include "ascendc/emit.h"
#include "ascendc/language.h"

namespace AscendC {

/// Index of this block: on an AIC the AI core's; on an AIV of a mixed kernel AI core * ratio + AIV.
inline std::int64_t GetBlockIdx() {
  const auto& me = davsim::isa::current_core().identity();
  const bool mixed_vector = me.type == davsim::isa::CoreType::AIV && me.sub_block_num > 0 &&
                            (me.kernel_type == davsim::isa::KernelType::kMix11 ||
                             me.kernel_type == davsim::isa::KernelType::kMix12);
  return mixed_vector ? std::int64_t{me.block_idx} * me.sub_block_num + me.sub_block_idx
                      : std::int64_t{me.block_idx};
}

/// Blocks of the launch; of a mixed kernel the number of AI cores.
inline std::int64_t GetBlockNum() {
  return davsim::isa::current_core().identity().block_num;
}

inline std::int64_t GetSubBlockIdx() {
  return davsim::isa::current_core().identity().sub_block_idx;
}
/// AIVs per AIC of this kernel.
inline std::int64_t GetSubBlockNum() {
  return davsim::isa::current_core().identity().sub_block_num;
}
/// Cores of the running core's type per AI core: 1 on an AIC, the AIVs of the mix on an AIV.
inline std::int64_t GetTaskRatio() {
  const auto& me = davsim::isa::current_core().identity();
  return me.type == davsim::isa::CoreType::AIC ? 1 : std::int64_t{me.sub_block_num};
}
/// Earlier spelling of GetTaskRatio.
inline std::int64_t GetTaskRation() {
  return GetTaskRatio();
}

/// Bytes of a DataBlock.
constexpr std::int16_t GetDataBlockSizeInBytes() {
  return davsim::isa::kBlockBytes;
}

/// The scalar unit's clock, in core cycles. The device counts at 50 MHz instead: differences
/// compare with each other, not with a number taken there.
inline std::int64_t GetSystemCycle() {
  return static_cast<std::int64_t>(davsim::isa::current_core().system_cycle());
}

inline __gm__ std::uint8_t* GetUserWorkspace(GM_ADDR workspace) {
  return workspace;
}
inline void SetSysWorkspace(GM_ADDR) {}

/// Brings the special registers into the state that kernels expect at their start.
inline void InitSocState() {
  auto& registers = davsim::api::registers();
  void* tpipe = registers.tpipe;
  registers = {};
  registers.tpipe = tpipe;
}

}  // namespace AscendC
