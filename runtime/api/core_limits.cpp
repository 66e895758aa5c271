// Limits to the cores that operators use.
#include "runtime/core/core_limits.hpp"

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/visible_devices.hpp"

using namespace davsim::runtime;

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value) {
  return api_call("aclrtGetDeviceResLimit", [&] {
    require_pointer(value, "value");
    require_type(type);
    *value = cores_of_device(die_of(deviceId), type);
  });
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value) {
  return api_call("aclrtSetDeviceResLimit", [&] {
    require_type(type);
    limit_device(die_of(deviceId), type, value);
  });
}

aclError aclrtResetDeviceResLimit(int32_t deviceId) {
  return api_call("aclrtResetDeviceResLimit", [&] { unlimit_device(die_of(deviceId)); });
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value) {
  return api_call("aclrtGetStreamResLimit", [&] {
    require_pointer(value, "value");
    require_type(type);
    *value = cores_of_stream(*Process::instance().stream(stream), type);
  });
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value) {
  return api_call("aclrtSetStreamResLimit", [&] {
    require_type(type);
    limit_stream(*Process::instance().stream(stream), type, value);
  });
}

aclError aclrtResetStreamResLimit(aclrtStream stream) {
  return api_call("aclrtResetStreamResLimit",
                  [&] { unlimit_stream(*Process::instance().stream(stream)); });
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) {
  return api_call("aclrtUseStreamResInCurrentThread",
                  [&] { use_limits_of(Process::instance().stream(stream)); });
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) {
  return api_call("aclrtUnuseStreamResInCurrentThread", [&] {
    Process::instance().stream(stream);
    use_limits_of(nullptr);
  });
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  return api_call("aclrtGetResInCurrentThread", [&] {
    require_pointer(value, "value");
    require_type(type);
    *value = cores_of_thread(type);
  });
}
