// The SoC, for hand-written aclnn functions.
#pragma once

#include <cstdint>
#include <string>

#include "opdev/common_types.h"
#include "platform/platform_infos_def.h"
#include "platform/soc_spec.h"

namespace op {

/// Both products have a value of their own here, unlike in platform_ascendc::SocVersion.
enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B,
  ASCEND910_93,
  ASCEND910_95,
  ASCEND950 = ASCEND910_95,
  ASCEND910E,
  ASCEND310,
  ASCEND310P,
  ASCEND310B,
  ASCEND310C,
  ASCEND610LITE,
  KIRINX90,
  RESERVED_VERSION = 99999
};

class PlatformInfo {
 public:
  SocVersion GetSocVersion() const;
  NpuArch GetCurNpuArch() const { return NpuArch::DAV_2201; }
  /// "Ascend910B3"
  const std::string& GetSocLongVersion() const;
  std::int32_t GetDeviceId() const;
  std::int64_t GetBlockSize() const { return 32; }
  std::uint32_t GetCubeCoreNum() const;
  std::uint32_t GetVectorCoreNum() const;
  bool Valid() const { return true; }
};

const PlatformInfo& GetCurrentPlatformInfo();
ge::AscendString ToString(SocVersion version);

}  // namespace op
