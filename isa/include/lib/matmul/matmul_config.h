// The makers of configurations of Matmul objects, and the presets.
#pragma once

#include "lib/matmul/matmul_types.h"

namespace AscendC {

constexpr MatmulConfig GetNormalConfig(
    const bool intrinsicsLimit = false, const bool batchLoop = false, const bool isVecND2NZ = false,
    const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, const bool isMsgReuse = true,
    const IterateOrder iterateOrder = IterateOrder::UNDEF,
    const ScheduleType scheduleType = ScheduleType::INNER_PRODUCT, const bool enUnitFlag = true,
    const bool enableMixDualMaster = false,
    const BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH) {
  MatmulConfig config;
  config.doNorm = true;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.enVecND2NZ = isVecND2NZ;
  config.batchMode = bmmMode;
  config.enableReuse = isMsgReuse;
  config.iterateOrder = iterateOrder;
  config.scheduleType = scheduleType;
  config.enUnitFlag = enUnitFlag;
  config.enableMixDualMaster = enableMixDualMaster;
  config.bmmOutMode = bmmOutMode;
  return config;
}

constexpr MatmulConfig GetMDLConfig(
    const bool intrinsicsLimit = false, const bool batchLoop = false,
    const std::uint32_t mte2Preload = 0, const bool isVecND2NZ = false,
    const bool isPerTensor = false, const bool hasAntiQuantOffset = false,
    const bool enUnitFlag = false, const bool isMsgReuse = true, const bool enableUBReuse = true,
    const bool enableL1CacheUB = false, const bool enableMixDualMaster = false,
    const bool enableKdimReorderLoad = false) {
  MatmulConfig config;
  config.doMultiDataLoad = true;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.doMTE2Preload = mte2Preload;
  config.enVecND2NZ = isVecND2NZ;
  config.isPerTensor = isPerTensor;
  config.hasAntiQuantOffset = hasAntiQuantOffset;
  config.enUnitFlag = enUnitFlag;
  config.enableReuse = isMsgReuse;
  config.enableUBReuse = enableUBReuse;
  config.enableL1CacheUB = enableL1CacheUB;
  config.enableMixDualMaster = enableMixDualMaster;
  config.enableKdimReorderLoad = enableKdimReorderLoad;
  return config;
}

constexpr MatmulConfig GetSpecialMDLConfig(const bool intrinsicsLimit = false,
                                           const bool batchLoop = false,
                                           const std::uint32_t mte2Preload = 0,
                                           const bool isVecND2NZ = false,
                                           const bool isPerTensor = false,
                                           const bool hasAntiQuantOffset = false) {
  MatmulConfig config = GetMDLConfig(intrinsicsLimit, batchLoop, mte2Preload, isVecND2NZ,
                                     isPerTensor, hasAntiQuantOffset);
  config.doSpecialMDL = true;
  return config;
}

constexpr MatmulConfig GetIBShareNormConfig(const bool intrinsicsLimit = false,
                                            const bool batchLoop = false,
                                            const bool isVecND2NZ = false,
                                            const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                                            const bool isDoubleCache = false,
                                            const bool enUnitFlag = true) {
  MatmulConfig config = GetNormalConfig(intrinsicsLimit, batchLoop, isVecND2NZ, bmmMode);
  config.doNorm = false;
  config.enableDoubleCache = isDoubleCache;
  config.doIBShareNorm = true;
  config.enUnitFlag = enUnitFlag;
  return config;
}

constexpr MatmulConfig GetBasicConfig(const std::uint32_t basicM, const std::uint32_t basicN,
                                      const std::uint32_t basicK,
                                      const bool intrinsicsLimit = false,
                                      const bool batchLoop = false,
                                      const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
  MatmulConfig config;
  config.doBasicBlock = true;
  config.basicM = basicM;
  config.basicN = basicN;
  config.basicK = basicK;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.batchMode = bmmMode;
  return config;
}

constexpr MatmulConfig GetSpecialBasicConfig(
    const std::uint32_t basicM, const std::uint32_t basicN, const std::uint32_t basicK,
    const std::uint32_t singleCoreM, const std::uint32_t singleCoreN,
    const std::uint32_t singleCoreK, const std::uint32_t stepM, const std::uint32_t stepN,
    const bool intrinsicsLimit = false, const bool batchLoop = false,
    const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
  MatmulConfig config = GetBasicConfig(basicM, basicN, basicK, intrinsicsLimit, batchLoop, bmmMode);
  config.doBasicBlock = false;
  config.doSpecialBasicBlock = true;
  config.singleCoreM = singleCoreM;
  config.singleCoreN = singleCoreN;
  config.singleCoreK = singleCoreK;
  config.stepM = stepM;
  config.stepN = stepN;
  return config;
}

constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();
constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);

enum class MatmulConfigMode : std::uint32_t {
  CONFIG_NORM = 0,
  CONFIG_MDL,
  CONFIG_SPECIALMDL,
  CONFIG_IBSHARE
};

// Groups of members of a configuration, for GetMMConfig.
struct MatmulShapeParams {
  std::uint32_t singleCoreM;
  std::uint32_t singleCoreN;
  std::uint32_t singleCoreK;
  std::uint32_t basicM;
  std::uint32_t basicN;
  std::uint32_t basicK;
};
struct MatmulQuantParams {
  bool isPerTensor;
  bool hasAntiQuantOffset;
};
struct MatmulBatchParams {
  bool isNBatch;
  BatchMode batchMode;
  bool isBiasBatch = true;
  BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
};
struct MatmulFuncParams {
  bool intrinsicsLimit;
  bool enVecND2NZ;
  bool enableDoubleCache;
  bool enableL1CacheUB;
  std::uint32_t doMTE2Preload;
  IterateOrder iterateOrder;
  ScheduleType scheduleType;
  bool enableReuse = true;
  bool enableUBReuse = true;
  bool isPartialOutput = false;
  bool isA2B2Shared = false;
  bool isEnableChannelSplit = false;
  bool enableKdimReorderLoad = false;
};
struct MatmulBiasParams {
  bool enableSetBias = true;
};

}  // namespace AscendC

namespace davsim::api {

constexpr void apply(AscendC::MatmulConfig& config, const AscendC::MatmulShapeParams& params) {
  config.singleCoreM = params.singleCoreM;
  config.singleCoreN = params.singleCoreN;
  config.singleCoreK = params.singleCoreK;
  config.basicM = params.basicM;
  config.basicN = params.basicN;
  config.basicK = params.basicK;
}
constexpr void apply(AscendC::MatmulConfig& config, const AscendC::MatmulQuantParams& params) {
  config.isPerTensor = params.isPerTensor;
  config.hasAntiQuantOffset = params.hasAntiQuantOffset;
}
constexpr void apply(AscendC::MatmulConfig& config, const AscendC::MatmulBatchParams& params) {
  config.isNBatch = params.isNBatch;
  config.batchMode = params.batchMode;
  config.isBiasBatch = params.isBiasBatch;
  config.bmmOutMode = params.bmmOutMode;
}
constexpr void apply(AscendC::MatmulConfig& config, const AscendC::MatmulFuncParams& params) {
  config.intrinsicsCheck = params.intrinsicsLimit;
  config.enVecND2NZ = params.enVecND2NZ;
  config.enableDoubleCache = params.enableDoubleCache;
  config.enableL1CacheUB = params.enableL1CacheUB;
  config.doMTE2Preload = params.doMTE2Preload;
  config.iterateOrder = params.iterateOrder;
  config.scheduleType = params.scheduleType;
  config.enableReuse = params.enableReuse;
  config.enableUBReuse = params.enableUBReuse;
  config.isPartialOutput = params.isPartialOutput;
  config.isA2B2Shared = params.isA2B2Shared;
  config.isEnableChannelSplit = params.isEnableChannelSplit;
  config.enableKdimReorderLoad = params.enableKdimReorderLoad;
}
constexpr void apply(AscendC::MatmulConfig& config, const AscendC::MatmulBiasParams& params) {
  config.enableSetBias = params.enableSetBias;
}

}  // namespace davsim::api

namespace AscendC {

/// A preset with groups of members changed, in any order.
template <MatmulConfigMode mode, typename... Params>
constexpr MatmulConfig GetMMConfig(const Params&... params) {
  MatmulConfig config = mode == MatmulConfigMode::CONFIG_MDL          ? GetMDLConfig()
                        : mode == MatmulConfigMode::CONFIG_SPECIALMDL ? GetSpecialMDLConfig()
                        : mode == MatmulConfigMode::CONFIG_IBSHARE    ? GetIBShareNormConfig()
                                                                      : GetNormalConfig();
  (davsim::api::apply(config, params), ...);
  return config;
}

}  // namespace AscendC
