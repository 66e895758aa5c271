// Descriptions of SoCs, for programs that ask for them without a tiling context.
#pragma once

#include <cstdint>
#include <string>

#include "platform/platform_infos_def.h"

namespace fe {

/// What a program wants beside a SoC's description. Nothing here depends on it.
class OptionalInfos {
 public:
  bool Init() { return true; }
  std::string GetSocVersion() const { return soc_version_; }
  std::string GetCoreType() const { return core_type_; }
  std::uint32_t GetAICoreNum() const { return core_num_; }
  void SetSocVersion(const std::string& version) { soc_version_ = version; }
  void SetSocVersionWithLock(const std::string& version) { soc_version_ = version; }
  void SetCoreType(const std::string& type) { core_type_ = type; }
  void SetAICoreNum(std::uint32_t count) { core_num_ = count; }

 private:
  std::string soc_version_, core_type_;
  std::uint32_t core_num_ = 0;
};

class PlatformInfoManager {
 public:
  static PlatformInfoManager& Instance() {
    static PlatformInfoManager manager;
    return manager;
  }
  static PlatformInfoManager& GeInstance() { return Instance(); }

  std::uint32_t InitializePlatformInfo() { return 0; }
  std::uint32_t InitRuntimePlatformInfos(const std::string&) { return 0; }
  std::uint32_t Finalize() { return 0; }
  /// 0: `infos` is the description of the SoC on which the program runs; all devices are alike.
  std::uint32_t GetRuntimePlatformInfosByDevice(const std::uint32_t&, PlatFormInfos& infos,
                                                bool = false) {
    infos = PlatFormInfos::OfSoc();
    return 0;
  }
  std::uint32_t GetPlatformInfoWithOutSocVersion(PlatFormInfos& infos, OptionalInfos&) {
    infos = PlatFormInfos::OfSoc();
    return 0;
  }
  /// Not 0: there is no such SoC.
  std::uint32_t GetPlatformInfos(const std::string& soc_version, PlatFormInfos& infos,
                                 OptionalInfos& optional) {
    infos = PlatFormInfos::OfSoc(soc_version.c_str());
    optional.SetSocVersion(soc_version);
    return infos.GetCoreNum() == 0 ? 0xFFFFFFFFu : 0;
  }
};

}  // namespace fe
