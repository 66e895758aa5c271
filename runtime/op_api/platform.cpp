// The SoC as hand-written aclnn functions ask for it.
#include "opdev/platform.h"

#include "acl/acl.h"
#include "platform/platform_ascendc.h"
#include "runtime/core/simulator.hpp"
#include "runtime/op_host/platform.hpp"

namespace op {
namespace {

platform_ascendc::PlatformAscendC& platform() {
  static fe::PlatFormInfos infos =
      davsim::op_host::platform_of(davsim::runtime::Simulator::instance().soc());
  static platform_ascendc::PlatformAscendC instance(&infos);
  return instance;
}

}  // namespace

SocVersion PlatformInfo::GetSocVersion() const {
  const bool a3 = davsim::op_host::compute_unit_of(davsim::runtime::Simulator::instance().soc()) ==
                  "ascend910_93";
  return a3 ? SocVersion::ASCEND910_93 : SocVersion::ASCEND910B;
}

const std::string& PlatformInfo::GetSocLongVersion() const {
  static const std::string name = aclrtGetSocName();
  return name;
}

std::int32_t PlatformInfo::GetDeviceId() const {
  std::int32_t device = 0;
  return aclrtGetDevice(&device) == ACL_SUCCESS ? device : 0;
}

std::uint32_t PlatformInfo::GetCubeCoreNum() const {
  return platform().GetCoreNumAic();
}

std::uint32_t PlatformInfo::GetVectorCoreNum() const {
  return platform().GetCoreNumAiv();
}

const PlatformInfo& GetCurrentPlatformInfo() {
  static const PlatformInfo info;
  return info;
}

ge::AscendString ToString(SocVersion version) {
  switch (version) {
    case SocVersion::ASCEND910B:
      return "Ascend910B";
    case SocVersion::ASCEND910_93:
      return "Ascend910_93";
    default:
      return "another SoC";
  }
}

}  // namespace op
