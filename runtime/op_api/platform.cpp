// The SoC as hand-written aclnn functions ask for it.
#include "opdev/platform.h"

#include "acl/acl.h"
#include "runtime/core/core_limits.hpp"
#include "runtime/core/simulator.hpp"
#include "runtime/op_host/platform.hpp"

namespace op {

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
  return davsim::runtime::cores_of_thread(ACL_RT_DEV_RES_CUBE_CORE);
}

std::uint32_t PlatformInfo::GetVectorCoreNum() const {
  return davsim::runtime::cores_of_thread(ACL_RT_DEV_RES_VECTOR_CORE);
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
