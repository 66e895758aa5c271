#include "tiling/hccl/hccl_tiling.h"

#include <cstdio>
#include <cstring>

namespace AscendC {
namespace {

constexpr uint32_t kMostCommunications = 8;
constexpr uint32_t kTilingFailed = 1;
/// What programs that fill the struct themselves write.
constexpr uint32_t kTilingVersion = 100;

uint32_t refuse_tiling(const char* what, unsigned long long value, const char* allowed) {
  std::fprintf(stderr, "davsim: Mc2CcTilingConfig: %s is %llu, allowed are %s\n", what, value,
               allowed);
  return kTilingFailed;
}

bool known_operation(uint32_t type) {
  return type == 2 || (type >= 6 && type <= 8) || type == 10 || type == 18 || type == 20;
}

void copy_name(char (&to)[128], const std::string& from) {
  std::memset(to, 0, sizeof to);
  std::memcpy(to, from.data(), from.size());
}

}  // namespace

Mc2CcTilingConfig::Mc2CcTilingConfig(const std::string& groupName, uint32_t opType,
                                     const std::string& algConfig, uint32_t reduceType,
                                     uint8_t dstDataType, uint8_t srcDataType)
    : group_(groupName), algorithm_(algConfig) {
  init_.version = kTilingVersion;
  operation_.version = 1;
  operation_.opType = opType;
  operation_.reduceType = reduceType;
  operation_.dstDataType = dstDataType;
  operation_.srcDataType = srcDataType;
}

bool Mc2CcTilingConfig::valid() const {
  if (group_.empty() || group_.size() > 127) {
    return refuse_tiling("the length of the group's name", group_.size(), "1 to 127") == 0;
  }
  if (algorithm_.size() > 127) {
    return refuse_tiling("the length of algConfig", algorithm_.size(), "0 to 127") == 0;
  }
  if (!known_operation(operation_.opType)) {
    return refuse_tiling("opType", operation_.opType, "2, 6, 7, 8, 10, 18 and 20") == 0;
  }
  if (operation_.reduceType > 3)
    return refuse_tiling("reduceType", operation_.reduceType, "0 to 3") == 0;
  if (init_.queueNum * init_.commBlockNum > 40) {
    return refuse_tiling("the product of queues and cores",
                         static_cast<unsigned long long>(init_.queueNum) * init_.commBlockNum,
                         "0 to 40") == 0;
  }
  return true;
}

uint32_t Mc2CcTilingConfig::GetTiling(::Mc2InitTiling& tiling) {
  if (!valid()) return kTilingFailed;
  std::memcpy(tiling.initTiling, &init_, sizeof init_);
  written_ = &tiling;
  return 0;
}

uint32_t Mc2CcTilingConfig::GetTiling(::Mc2CcTiling& tiling) {
  if (!valid()) return kTilingFailed;
  copy_name(operation_.groupName, group_);
  copy_name(operation_.algConfig, algorithm_);
  std::memcpy(tiling.ccTiling, &operation_, sizeof operation_);
  if (written_ == nullptr) return 0;
  davsim_hccl::InitTilingFields written;
  std::memcpy(&written, written_->initTiling, sizeof written);
  if (written.mc2HcommCnt == kMostCommunications) {
    return refuse_tiling("the number of Mc2CcTiling", kMostCommunications + 1, "1 to 8");
  }
  written.offset[written.mc2HcommCnt++] = static_cast<uint32_t>(
      reinterpret_cast<const char*>(&tiling) - reinterpret_cast<const char*>(written_));
  std::memcpy(written_->initTiling, &written, sizeof written);
  return 0;
}

uint32_t Mc2CcTilingConfig::GetTiling(::optiling::Mc2InitTiling& tiling) {
  if (!valid()) return kTilingFailed;
  tiling.set_initTiling(reinterpret_cast<const uint8_t*>(&init_));
  return 0;
}

uint32_t Mc2CcTilingConfig::GetTiling(::optiling::Mc2CcTiling& tiling) {
  ::Mc2CcTiling written;
  written_ = nullptr;  // tiling data has its place in a buffer only when it is saved
  if (GetTiling(written) != 0) return kTilingFailed;
  tiling.set_ccTiling(written.ccTiling);
  return 0;
}

uint32_t Mc2CcTilingConfig::SetOpType(uint32_t opType) {
  if (!known_operation(opType)) return refuse_tiling("opType", opType, "2, 6, 7, 8, 10, 18 and 20");
  operation_.opType = opType;
  return 0;
}

uint32_t Mc2CcTilingConfig::SetGroupName(const std::string& groupName) {
  if (groupName.empty() || groupName.size() > 127) {
    return refuse_tiling("the length of the group's name", groupName.size(), "1 to 127");
  }
  group_ = groupName;
  return 0;
}

uint32_t Mc2CcTilingConfig::SetAlgConfig(const std::string& algConfig) {
  if (algConfig.size() > 127) {
    return refuse_tiling("the length of algConfig", algConfig.size(), "0 to 127");
  }
  algorithm_ = algConfig;
  return 0;
}

uint32_t Mc2CcTilingConfig::SetReduceType(uint32_t reduceType, uint8_t dstDataType,
                                          uint8_t srcDataType) {
  if (reduceType > 3) return refuse_tiling("reduceType", reduceType, "0 to 3");
  operation_.reduceType = reduceType;
  operation_.dstDataType = dstDataType;
  operation_.srcDataType = srcDataType;
  return 0;
}

uint32_t Mc2CcTilingConfig::SetStepSize(uint8_t stepSize) {
  operation_.stepSize = stepSize;
  return 0;
}

uint32_t Mc2CcTilingConfig::SetSkipLocalRankCopy(uint8_t skipLocalRankCopy) {
  if (skipLocalRankCopy > 1)
    return refuse_tiling("skipLocalRankCopy", skipLocalRankCopy, "0 and 1");
  operation_.skipLocalRankCopy = skipLocalRankCopy;
  return 0;
}

uint32_t Mc2CcTilingConfig::SetSkipBufferWindowCopy(uint8_t skipBufferWindowCopy) {
  if (skipBufferWindowCopy > 2) {
    return refuse_tiling("skipBufferWindowCopy", skipBufferWindowCopy, "0 to 2");
  }
  operation_.skipBufferWindowCopy = skipBufferWindowCopy;
  return 0;
}

uint32_t Mc2CcTilingConfig::SetDebugMode(uint8_t debugMode) {
  init_.debugMode = debugMode;
  return 0;
}

uint32_t Mc2CcTilingConfig::SetCommEngine(uint8_t commEngine) {
  operation_.commEngine = commEngine;
  return 0;
}

uint32_t Mc2CcTilingConfig::SetQueueNum(uint16_t num) {
  if (num > 40) return refuse_tiling("the number of queues", num, "0 to 40");
  init_.queueNum = num;
  return 0;
}

uint32_t Mc2CcTilingConfig::SetCommBlockNum(uint16_t num) {
  if (num > 48) return refuse_tiling("the number of cores", num, "0 to 48");
  init_.commBlockNum = num;
  return 0;
}

}  // namespace AscendC
