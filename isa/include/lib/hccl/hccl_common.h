// Names of collective communication that kernels and the structs of contexts have. The layouts are
// those that public kernels read.
#pragma once

#include <cstdint>

#include "ascendc/language.h"
#include "hccl_names/hccl_names.h"

namespace AscendC {

using namespace davsim_hccl::kernels;  // NOLINT(google-build-using-namespace)
using davsim_hccl::HCCL_SUCCESS;
constexpr std::int32_t HCCL_FAILED = -1;
constexpr std::uint32_t HCCL_MAX_RANK_NUM = 32;
constexpr std::int8_t HCCL_MAX_HANDLE_ID = 63;
constexpr std::int8_t INVALID_HANDLE_ID = -1;

/// The number of an operation in its launch; -1: none.
using HcclHandle = std::int8_t;

enum HcclServerType {
  HCCL_SERVER_TYPE_AICPU = 0,
  HCCL_SERVER_TYPE_CCU,
  HCCL_SERVER_TYPE_END,
};

enum class CoreType : std::uint8_t { DEFAULT, ON_AIV, ON_AIC };
enum class ScopeType : std::uint8_t { ALL, QUEUE, BLOCK, INVALID_TYPE };

/// Which core sends messages to the server. DEFAULT: the one with number `blockId` of whatever type
/// calls.
struct HcclServerConfig {
  CoreType type;
  std::int64_t blockId;
};
inline constexpr HcclServerConfig DEFAULT_CFG = {CoreType::DEFAULT, 0};

struct MemDetails {
  std::uint64_t size;
  std::uint64_t addr;
  std::uint32_t key;
};
struct IbVerbsData {
  MemDetails remoteInput;
  MemDetails remoteOutput;
  MemDetails localInput;
  MemDetails localOutput;
  std::uint8_t res[24];
};

/// The context of a communicator on an A2.
struct HcclCombineOpParam {
  std::uint64_t workSpace;
  std::uint64_t workSpaceSize;
  std::uint32_t rankId;
  std::uint32_t rankNum;
  std::uint64_t winSize;
  std::uint64_t windowsIn[HCCL_MAX_RANK_NUM];
  std::uint64_t windowsOut[HCCL_MAX_RANK_NUM];
  std::uint8_t res[8328];
  std::uint8_t multiFlag;
  __gm__ IbVerbsData* data;
};

namespace HcclContextDef {

/// What the context of an A3 has of another rank.
struct HcclRankRelationResV2 {
  std::uint32_t remoteUsrRankId = 0;
  std::uint32_t remoteWorldRank = 0;
  std::uint64_t windowsIn = 0;
  std::uint64_t windowsOut = 0;
  std::uint64_t windowsExp = 0;
};
struct RemoteResPtr {
  HcclRankRelationResV2* nextHostPtr;
  HcclRankRelationResV2* nextDevicePtr;
};
/// The first fields of the context of a communicator on an A3.
struct HcclOpResParam {
  std::uint64_t workSpace;
  std::uint64_t workSpaceSize;
  std::uint32_t rankId;
  std::uint32_t rankNum;
  std::uint64_t winSize;
  std::uint64_t localWindowsIn;
  std::uint64_t localWindowsOut;
  char hcomId[128];
  std::uint64_t winExpSize;
  std::uint64_t localWindowsExp;
  std::uint32_t rWinStart;  ///< from here to the table of the other ranks, in bytes
};

}  // namespace HcclContextDef

/// What the context of an A3 has of a rank.
inline HcclContextDef::HcclRankRelationResV2* GetRemoteRankAddrs(
    __gm__ HcclContextDef::HcclOpResParam* context, std::uint32_t rankId) {
  auto* const begin = reinterpret_cast<__gm__ std::uint8_t*>(context) + context->rWinStart;
  return reinterpret_cast<__gm__ HcclContextDef::RemoteResPtr*>(begin)[rankId].nextDevicePtr;
}

}  // namespace AscendC
