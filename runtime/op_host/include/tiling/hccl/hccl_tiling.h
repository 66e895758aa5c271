// The tiling of collective operations: a program describes an operation of a communicator, and
// GetTiling writes it for the kernel.
//
// Setters and GetTiling return 0, or 1 and a message on standard error that names the limit.
#pragma once

#include <cstdint>
#include <string>

#include "hccl_names/hccl_names.h"
#include "kernel_tiling/mc2_tiling.h"
#include "register/tilingdata_base.h"

using namespace davsim_hccl::kernels;  // NOLINT(google-build-using-namespace)

namespace optiling {

/// The structs as tiling data.
BEGIN_TILING_DATA_DEF(Mc2InitTiling)
const char* KernelHeader() const override {
  return "kernel_tiling/kernel_tiling.h";
}
TILING_DATA_FIELD_DEF_ARR(uint8_t, 64, initTiling);
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(Mc2CcTiling)
const char* KernelHeader() const override {
  return "kernel_tiling/kernel_tiling.h";
}
TILING_DATA_FIELD_DEF_ARR(uint8_t, 280, ccTiling);
END_TILING_DATA_DEF;

}  // namespace optiling

namespace AscendC {

class Mc2CcTilingConfig {
 public:
  /// `opType` and `reduceType` have the numbers of HcclCMDType and HcclReduceOp, types those of
  /// HcclDataType. A group's name has 1 to 127 characters, an algConfig at most 127.
  Mc2CcTilingConfig(const std::string& groupName, uint32_t opType, const std::string& algConfig,
                    uint32_t reduceType = 0, uint8_t dstDataType = 0, uint8_t srcDataType = 0);

  uint32_t GetTiling(::Mc2InitTiling& tiling);
  /// Behind the GetTiling of the struct's Mc2InitTiling.
  uint32_t GetTiling(::Mc2CcTiling& tiling);
  uint32_t GetTiling(::optiling::Mc2InitTiling& tiling);
  uint32_t GetTiling(::optiling::Mc2CcTiling& tiling);

  uint32_t SetOpType(uint32_t opType);
  uint32_t SetGroupName(const std::string& groupName);
  uint32_t SetAlgConfig(const std::string& algConfig);
  uint32_t SetReduceType(uint32_t reduceType, uint8_t dstDataType = 0, uint8_t srcDataType = 0);
  uint32_t SetStepSize(uint8_t stepSize);
  uint32_t SetSkipLocalRankCopy(uint8_t skipLocalRankCopy);
  uint32_t SetSkipBufferWindowCopy(uint8_t skipBufferWindowCopy);
  uint32_t SetDebugMode(uint8_t debugMode);
  uint32_t SetCommEngine(uint8_t commEngine);
  uint32_t SetQueueNum(uint16_t num);
  uint32_t SetCommBlockNum(uint16_t num);

 private:
  bool valid() const;

  std::string group_, algorithm_;
  davsim_hccl::InitTilingFields init_;
  davsim_hccl::CcTilingFields operation_;
  ::Mc2InitTiling* written_ = nullptr;  ///< whose offsets GetTiling(Mc2CcTiling&) adds to
};

}  // namespace AscendC
