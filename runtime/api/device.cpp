// Initialisation, devices and what they are.
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "acl/acl.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/state_callbacks.hpp"
#include "runtime/core/visible_devices.hpp"

using namespace davsim::runtime;

namespace {

constexpr std::int64_t kArchitecture = 2201;  ///< as __NPU_ARCH__ in kernels
constexpr const char* kVersion = "8.3.RC1";

[[noreturn]] void refuse_attribute(int attribute) {
  throw ApiError(ACL_ERROR_INVALID_PARAM,
                 "there is no attribute " + std::to_string(attribute) + " of a device");
}

std::int64_t attribute_of(const davsim::sim::SocConfig& soc, std::uint32_t device,
                          aclrtDevAttr attribute) {
  switch (attribute) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
      return 0;  // no AI CPU is simulated
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
      return soc.aic_count();
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      return soc.aiv_count();
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      return static_cast<std::int64_t>(soc.hbm_bytes());
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      return static_cast<std::int64_t>(soc.l2_bytes());
    case ACL_DEV_ATTR_PHY_CHIP_ID:
      return device;
    case ACL_DEV_ATTR_SMP_ID:
    case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID:
    case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
    case ACL_DEV_ATTR_SUPER_POD_ID:
    case ACL_DEV_ATTR_CUST_OP_PRIVILEGE:
    case ACL_DEV_ATTR_MAINBOARD_ID:
    case ACL_DEV_ATTR_HD_CONNECT_TYPE:
    case ACL_DEV_ATTR_DEVICE_FORM_FACTOR:
    case ACL_DEV_ATTR_IS_VIRTUAL:
      return 0;
    case ACL_DEV_ATTR_NPU_ARCH:
      return kArchitecture;
    default:
      break;
  }
  if (attribute >= ACL_DEV_ATTR_WARP_SIZE && attribute <= ACL_DEV_ATTR_MAX_BLOCK_DIM_Z) {
    throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "attribute " + std::to_string(attribute) +
                       " is of devices that run threads, which this one does not");
  }
  refuse_attribute(attribute);
}

aclrtDevAttr attribute_for(aclDeviceInfo info) {
  switch (info) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
      return ACL_DEV_ATTR_AICORE_CORE_NUM;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
      return ACL_DEV_ATTR_VECTOR_CORE_NUM;
    case ACL_DEVICE_INFO_L2_SIZE:
      return ACL_DEV_ATTR_L2_CACHE_SIZE;
    default:
      refuse_attribute(info);
  }
}

/// What the program's file has; nothing where there is none.
std::string text_of(const char* file) {
  if (file == nullptr) return "";
  std::ifstream from(file);
  return {std::istreambuf_iterator<char>(from), {}};
}

void reset_device(std::int32_t device, bool force) {
  die_of(device);
  device_callbacks().tell(device, ACL_RT_DEVICE_STATE_RESET_PRE);
  Process::instance().reset_device(device, force);
  device_callbacks().tell(device, ACL_RT_DEVICE_STATE_RESET_POST);
}

void require_peer(std::int32_t peer) {
  if (static_cast<std::int32_t>(die_of(peer)) == Process::instance().context()->device) {
    throw ApiError(ACL_ERROR_RT_PARAM_INVALID,
                   "peerDeviceId is " + std::to_string(peer) + ", the device of this thread");
  }
}

void finalise() {
  Process::instance().finalise();
  tell_finalised();
}

}  // namespace

aclError aclInit(const char* configPath) {
  return api_call("aclInit", [&] {
    Process::instance().initialise();
    tell_initialised(text_of(configPath));
  });
}

aclError aclFinalize() {
  return api_call("aclFinalize", finalise);
}

aclError aclFinalizeReference(uint64_t* refCount) {
  return api_call("aclFinalizeReference", [&] {
    require_pointer(refCount, "refCount");
    finalise();
    *refCount = 0;
  });
}

aclError aclrtSetDevice(int32_t deviceId) {
  return api_call("aclrtSetDevice", [&] {
    die_of(deviceId);
    device_callbacks().tell(deviceId, ACL_RT_DEVICE_STATE_SET_PRE);
    Process::instance().set_device(deviceId);
    device_callbacks().tell(deviceId, ACL_RT_DEVICE_STATE_SET_POST);
  });
}

aclError aclrtResetDevice(int32_t deviceId) {
  return api_call("aclrtResetDevice", [&] { reset_device(deviceId, false); });
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return api_call("aclrtResetDeviceForce", [&] { reset_device(deviceId, true); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return api_call("aclrtGetDevice", [&] {
    require_pointer(deviceId, "deviceId");
    *deviceId = device_of(static_cast<std::uint32_t>(Process::instance().context()->device));
  });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  return api_call("aclrtGetDeviceCount", [&] {
    require_pointer(count, "count");
    *count = visible_devices();
  });
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return api_call("aclrtGetRunMode", [&] {
    require_pointer(runMode, "runMode");
    *runMode = ACL_HOST;
  });
}

const char* aclrtGetSocName() {
  const char* name = nullptr;
  api_call("aclrtGetSocName", [&] { name = Simulator::instance().soc().name().c_str(); });
  return name;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return api_call("aclrtGetDeviceInfo", [&] {
    require_pointer(value, "value");
    *value = attribute_of(Simulator::instance().soc(), die_of(deviceId), attr);
  });
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  return api_call("aclGetDeviceCapability", [&] {
    require_pointer(value, "value");
    *value = attribute_of(Simulator::instance().soc(), die_of(deviceId), attribute_for(deviceInfo));
  });
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  return api_call("aclrtGetVersion", [&] {
    require_pointer(majorVersion, "majorVersion");
    require_pointer(minorVersion, "minorVersion");
    require_pointer(patchVersion, "patchVersion");
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
  });
}

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  return api_call("aclrtDeviceCanAccessPeer", [&] {
    require_pointer(canAccessPeer, "canAccessPeer");
    die_of(deviceId);
    die_of(peerDeviceId);
    *canAccessPeer = deviceId != peerDeviceId;
  });
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  return api_call("aclrtDeviceEnablePeerAccess", [&] {
    require_peer(peerDeviceId);
    if (flags != 0) {
      throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     "flags is " + std::to_string(flags) + ", allowed is 0");
    }
    Simulator::instance().memory().make_accessible(die_of(peerDeviceId));
  });
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return api_call("aclrtDeviceDisablePeerAccess", [&] { require_peer(peerDeviceId); });
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status) {
  return api_call("aclrtDevicePeerAccessStatus", [&] {
    require_pointer(status, "status");
    die_of(deviceId);
    die_of(peerDeviceId);
    *status = deviceId != peerDeviceId;
  });
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid) {
  return api_call("aclrtDeviceGetUuid", [&] {
    require_pointer(uuid, "uuid");
    const std::uint32_t die = die_of(deviceId);
    *uuid = {};
    std::memcpy(uuid->bytes, &die, sizeof die);
  });
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo) {
  return api_call("aclrtGetDeviceUtilizationRate", [&] {
    require_pointer(utilizationInfo, "utilizationInfo");
    die_of(deviceId);
    *utilizationInfo = {0, 0, 0, 0, utilizationInfo->utilizationExtend};
  });
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  return api_call("aclrtDeviceGetStreamPriorityRange", [&] {
    require_pointer(leastPriority, "leastPriority");
    require_pointer(greatestPriority, "greatestPriority");
    *leastPriority = 7;
    *greatestPriority = 0;
  });
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  return api_call("aclsysGetCANNVersion", [&] {
    require_pointer(version, "version");
    if (name < ACL_PKG_NAME_CANN || name > ACL_PKG_NAME_DRIVER) {
      throw ApiError(ACL_ERROR_INVALID_PARAM, "there is no package " + std::to_string(name));
    }
    *version = {"", "8", "3", "RC1", "", ""};
    std::strcpy(version->version, kVersion);
  });
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  return api_call("aclsysGetVersionStr", [&] {
    require_pointer(pkgName, "pkgName");
    require_pointer(versionStr, "versionStr");
    std::strcpy(versionStr, kVersion);
  });
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  return api_call("aclGetCannAttribute", [&] {
    require_pointer(value, "value");
    if (cannAttr < ACL_CANN_ATTR_INF_NAN || cannAttr > ACL_CANN_ATTR_JIT_COMPILE) {
      refuse_attribute(cannAttr);
    }
    *value = cannAttr != ACL_CANN_ATTR_JIT_COMPILE;
  });
}

aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
  return api_call("aclGetCannAttributeList", [&] {
    require_pointer(cannAttrList, "cannAttrList");
    require_pointer(num, "num");
    static constexpr aclCannAttr kAll[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16,
                                           ACL_CANN_ATTR_JIT_COMPILE};
    *cannAttrList = kAll;
    *num = std::size(kAll);
  });
}

aclError aclrtSetOpWaitTimeout(uint32_t) {
  return ACL_SUCCESS;  // nothing waits for other devices here
}

aclError aclrtSetOpExecuteTimeOut(uint32_t) {
  return ACL_SUCCESS;  // DAVSIM_MAX_CYCLES limits a launch
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t) {
  return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
  return api_call("aclrtSetOpExecuteTimeOutV2", [&] {
    require_pointer(actualTimeout, "actualTimeout");
    *actualTimeout = timeout;
  });
}

aclError aclrtGetHardwareSyncAddr(void** addr) {
  return api_call("aclrtGetHardwareSyncAddr", [&] {
    require_pointer(addr, "addr");
    static std::uint64_t word;
    *addr = &word;
  });
}

int32_t rtGetC2cCtrlAddr(uint64_t* addr, uint32_t* len) {
  return api_call("rtGetC2cCtrlAddr", [&] {
    require_pointer(addr, "addr");
    require_pointer(len, "len");
    void* word = nullptr;
    aclrtGetHardwareSyncAddr(&word);
    *addr = reinterpret_cast<std::uint64_t>(word);
    *len = sizeof(std::uint64_t);
  });
}

aclError aclrtGetLastError(aclrtLastErrLevel) {
  return last_code(true);
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel) {
  return last_code(false);
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  return api_call("aclrtQueryDeviceStatus", [&] {
    require_pointer(deviceStatus, "deviceStatus");
    die_of(deviceId);
    *deviceStatus = Simulator::instance().failure() ? ACL_RT_DEVICE_STATUS_ABNORMAL
                                                    : ACL_RT_DEVICE_STATUS_NORMAL;
  });
}

// Choices of other hardware or of a compiler that is not there.

aclError aclrtSetTsDevice(aclrtTsId) {
  return ACL_SUCCESS;
}

const char* aclGetRecentErrMsg() {
  return take_error();
}
