// Identity of the core, system time, workspace.
#pragma once

#include "ascendc/emit.h"
#include "ascendc/language.h"

/// The device's settings of a launch. Kernels that choose lines of L2 by addresses define a
/// variable of it; davsim chooses them by SetL2CacheHint.
struct OpSystemRunCfg {
  std::uint64_t l2Cacheoffset;
};

namespace AscendC {

/// Index of this block. AIC: of the AI core; AIV of a mixed kernel: AI core * ratio + AIV.
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
/// Cores of the running core's type per AI core: 1 on an AIC, the AIVs of the mix on an AIV.
inline std::int64_t GetSubBlockNum() {
  const auto& me = davsim::isa::current_core().identity();
  return me.type == davsim::isa::CoreType::AIC ? 1 : std::int64_t{me.sub_block_num};
}
/// The same number under another name.
inline std::int64_t GetTaskRatio() {
  return GetSubBlockNum();
}
/// Earlier spelling of GetTaskRatio.
inline std::int64_t GetTaskRation() {
  return GetTaskRatio();
}

/// Bytes of a DataBlock.
constexpr std::int16_t GetDataBlockSizeInBytes() {
  return davsim::isa::kBlockBytes;
}

/// The system counter, which counts at 50 MHz whatever the cores' clock: 50 of it are 1 us.
inline std::int64_t GetSystemCycle() {
  return static_cast<std::int64_t>(davsim::isa::current_core().system_cycle());
}

/// The user's part of a workspace: davsim's library needs none for itself.
inline __gm__ std::uint8_t* GetUserWorkspace(GM_ADDR workspace) {
  return workspace;
}
/// Keeps the workspace of the library for GetSysWorkSpacePtr.
inline void SetSysWorkspace(GM_ADDR workspace) {
  davsim::api::registers().system_workspace = workspace;
}
inline void SetSysWorkSpace(GM_ADDR workspace) {
  SetSysWorkspace(workspace);
}
inline void SetSysWorkspaceForce(GM_ADDR workspace) {
  SetSysWorkspace(workspace);
}
inline __gm__ std::uint8_t* GetSysWorkSpacePtr() {
  return davsim::api::registers().system_workspace;
}

/// Where the device's scheduler counts flags between cores; davsim counts them itself.
inline void SetSyncBaseAddr(std::uint64_t config,
                            davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().ffts_base = config;
  davsim::api::emit(davsim::isa::Opcode::kSetRegister, davsim::isa::Pipe::S, {}, {}, {},
                    davsim::isa::ScalarParams{1}, where);
}

/// Brings the special registers into the state that kernels expect at their start; what the
/// launch handed in stays.
inline void InitSocState() {
  auto& registers = davsim::api::registers();
  davsim::isa::Registers fresh;
  fresh.system_workspace = registers.system_workspace;
  fresh.ffts_base = registers.ffts_base;
  fresh.hccl_contexts = registers.hccl_contexts;
  fresh.symmetric_memory = registers.symmetric_memory;
  fresh.tpipe = registers.tpipe;
  fresh.cube_courier = registers.cube_courier;
  fresh.server_messages = registers.server_messages;
  registers = fresh;
}

/// Architecture of the core: 0x220.
inline void GetArchVersion(std::uint32_t& coreVersion) {
  coreVersion = __CCE_AICORE__ == 220 ? 0x220 : 0;
}

/// Bytes of UB of a vector core of NPU architecture 2201.
constexpr std::uint32_t GetUBSizeInBytes() {
  return 192 * 1024;
}
/// Bytes of UB of the running core; 0 on a cube core.
inline std::uint32_t GetRuntimeUBSize() {
  return static_cast<std::uint32_t>(
      davsim::isa::current_core().buffer_size(davsim::isa::Space::kUb));
}

/// Keeps the scalar unit busy with `instructions` that do nothing.
template <std::uint32_t instructions>
void Nop(davsim::api::Location where = davsim::api::Location::current()) {
  if constexpr (instructions > 0) {
    davsim::api::emit(davsim::isa::Opcode::kScalarOp, davsim::isa::Pipe::S, {}, {}, {},
                      davsim::isa::ScalarParams{instructions}, where);
  }
}

enum class EngineType : std::int32_t { AIC, AIV };

/// Calls `funPtr` on the cores of one type.
template <EngineType engine, auto funPtr, class... Args>
void Async(Args... args) {
  const bool on_cube = davsim::isa::current_core().identity().type == davsim::isa::CoreType::AIC;
  if (on_cube == (engine == EngineType::AIC)) funPtr(args...);
}

}  // namespace AscendC

// Kernels outside the namespace call them without naming it.
using AscendC::GetSysWorkSpacePtr;
using AscendC::GetUserWorkspace;
