// Tiling structs of operators that communicate, as kernels and host programs share them. C++17,
// because sources of op_host include it. Programs fill them with Mc2CcTilingConfig.
#pragma once

#include <cstdint>

namespace davsim_hccl {

/// What the bytes of an Mc2InitTiling mean.
struct InitTilingFields {
  std::uint32_t version = 0;
  std::uint32_t mc2HcommCnt = 0;  ///< Mc2CcTiling that were filled behind it
  std::uint32_t offset[8] = {};   ///< from here to each of them, in bytes
  std::uint8_t debugMode = 0;
  std::uint8_t preparePosition = 0;
  std::uint16_t queueNum = 0;
  std::uint16_t commBlockNum = 0;
  std::uint8_t devType = 0;
  char reserved[17] = {};
};

/// What those of an Mc2CcTiling mean.
struct CcTilingFields {
  std::uint8_t skipLocalRankCopy = 0;
  std::uint8_t skipBufferWindowCopy = 0;
  std::uint8_t stepSize = 0;
  std::uint8_t version = 0;
  char reserved[9] = {};
  std::uint8_t commEngine = 0;
  std::uint8_t srcDataType = 0;
  std::uint8_t dstDataType = 0;
  char groupName[128] = {};
  char algConfig[128] = {};
  std::uint32_t opType = 0;
  std::uint32_t reduceType = 0;
};

}  // namespace davsim_hccl

namespace AscendC {
namespace tiling {

/// One an operator. Programs do not look into it.
struct Mc2InitTiling {
  std::uint8_t initTiling[64] = {};
};
static_assert(sizeof(davsim_hccl::InitTilingFields) == sizeof(Mc2InitTiling),
              "kernels know its size");

/// One an operation of a communicator.
struct Mc2CcTiling {
  std::uint8_t ccTiling[280] = {};
};
static_assert(sizeof(davsim_hccl::CcTilingFields) == sizeof(Mc2CcTiling), "kernels know its size");

}  // namespace tiling
using tiling::Mc2CcTiling;
using tiling::Mc2InitTiling;
}  // namespace AscendC

using AscendC::tiling::Mc2CcTiling;
using AscendC::tiling::Mc2InitTiling;
