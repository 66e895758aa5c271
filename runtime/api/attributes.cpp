// Attributes and numbers that programs give and ask for. Most of them change nothing.
#include <unistd.h>

#include <array>
#include <atomic>

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/simulator.hpp"
#include "runtime/core/visible_devices.hpp"

using namespace davsim::runtime;

namespace {

/// Of the process, as aclrtSetSysParamOpt or aclrtCtxSetSysParamOpt set them last.
struct SystemOption {
  std::atomic<std::int64_t> value = 0;
  std::atomic<bool> set = false;
};

SystemOption& option_of(aclSysParamOpt opt) {
  constexpr std::size_t kOptions = ACL_OPT_ENABLE_KERNEL_EARLY_START + 1;
  static std::array<SystemOption, kOptions> options;
  if (opt < 0 || opt >= static_cast<int>(kOptions)) {
    refuse_rt("there is no option " + std::to_string(opt));
  }
  return options[opt];
}

void set_option(aclSysParamOpt opt, std::int64_t value) {
  SystemOption& option = option_of(opt);
  option.value = value;
  option.set = true;
}

/// As the program set it. Kernels compute with infinities and NaN, which is the default.
std::atomic<aclrtFloatOverflowMode> g_overflow_mode = ACL_RT_OVERFLOW_MODE_INFNAN;

/// Whoever counts devices counts the dies of the system, but for the program.
aclError same_number(const char* function, std::int32_t from, std::int32_t* to) {
  return api_call(function, [&] {
    require_pointer(to, "the place of the number");
    if (from < 0 || static_cast<std::uint32_t>(from) >= Simulator::instance().devices()) {
      throw ApiError(ACL_ERROR_RT_INVALID_DEVICEID, "there is no device " + std::to_string(from));
    }
    *to = from;
  });
}
aclError number_of_program(const char* function, std::int32_t die, std::int32_t* device) {
  return api_call(function, [&] {
    require_pointer(device, "the place of the number");
    const std::int32_t number = die < 0 ? -1 : device_of(static_cast<std::uint32_t>(die));
    if (number < 0) {
      throw ApiError(ACL_ERROR_RT_INVALID_DEVICEID,
                     "the program sees no device " + std::to_string(die));
    }
    *device = number;
  });
}
aclError number_of_die(const char* function, std::int32_t device, std::int32_t* die) {
  return api_call(function, [&] {
    require_pointer(die, "the place of the number");
    *die = static_cast<std::int32_t>(die_of(device));
  });
}

void require_attribute(aclrtStreamAttr attribute) {
  if (attribute < ACL_STREAM_ATTR_FAILURE_MODE || attribute > ACL_STREAM_ATTR_PRIORITY) {
    refuse_rt("there is no attribute " + std::to_string(attribute));
  }
}

}  // namespace

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return api_call("aclrtSetSysParamOpt", [&] { set_option(opt, value); });
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return api_call("aclrtCtxSetSysParamOpt", [&] { set_option(opt, value); });
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return api_call("aclrtGetSysParamOpt", [&] {
    require_pointer(value, "value");
    *value = option_of(opt).value;
  });
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return api_call("aclrtCtxGetSysParamOpt", [&] {
    require_pointer(value, "value");
    const SystemOption& option = option_of(opt);
    if (!option.set) {
      throw ApiError(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
                     "option " + std::to_string(opt) + " was not set");
    }
    *value = option.value;
  });
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  return api_call("aclrtSetDeviceSatMode", [&] {
    if (mode < ACL_RT_OVERFLOW_MODE_SATURATION || mode > ACL_RT_OVERFLOW_MODE_UNDEF) {
      refuse_rt("there is no mode " + std::to_string(mode));
    }
    g_overflow_mode = mode;
  });
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  return api_call("aclrtGetDeviceSatMode", [&] {
    require_pointer(mode, "mode");
    *mode = g_overflow_mode;
  });
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevid, int32_t* const phyDevId) {
  return number_of_die("aclrtGetPhyDevIdByUserDevId", userDevid, phyDevId);
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevid) {
  return number_of_program("aclrtGetUserDevIdByPhyDevId", phyDevId, userDevid);
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId) {
  return number_of_die("aclrtGetLogicDevIdByUserDevId", userDevid, logicDevId);
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t* const userDevid) {
  return number_of_program("aclrtGetUserDevIdByLogicDevId", logicDevId, userDevid);
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId) {
  return same_number("aclrtGetPhyDevIdByLogicDevId", logicDevId, phyDevId);
}

aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId) {
  return same_number("aclrtGetLogicDevIdByPhyDevId", phyDevId, logicDevId);
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  return api_call("aclrtDeviceGetBareTgid", [&] {
    require_pointer(pid, "pid");
    *pid = getpid();
  });
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  return api_call("aclrtSetStreamAttribute", [&] {
    require_pointer(value, "value");
    require_attribute(stmAttrType);
    const auto of = Process::instance().stream(stream);
    const std::lock_guard lock(of->mutex);
    of->attributes[stmAttrType] = value->userCustomTag;
  });
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  return api_call("aclrtGetStreamAttribute", [&] {
    require_pointer(value, "value");
    require_attribute(stmAttrType);
    const auto of = Process::instance().stream(stream);
    const std::lock_guard lock(of->mutex);
    *value = {};
    value->userCustomTag = of->attributes[stmAttrType];
  });
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t) {
  return aclrtStreamWaitEvent(stream, event);
}
