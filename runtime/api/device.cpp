// Initialisation, devices and what they are.
#include "acl/acl.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"

using namespace davsim::runtime;

aclError aclInit(const char*) {
  return api_call("aclInit", [] { Process::instance().initialise(); });
}

aclError aclFinalize() {
  return api_call("aclFinalize", [] { Process::instance().finalise(); });
}

aclError aclrtSetDevice(int32_t deviceId) {
  return api_call("aclrtSetDevice", [&] { Process::instance().set_device(deviceId); });
}

aclError aclrtResetDevice(int32_t deviceId) {
  return api_call("aclrtResetDevice", [&] { Process::instance().reset_device(deviceId); });
}

const char* aclrtGetSocName() {
  const char* name = nullptr;
  api_call("aclrtGetSocName", [&] { name = Simulator::instance().soc().name().c_str(); });
  return name;
}

const char* aclGetRecentErrMsg() {
  return take_error();
}
