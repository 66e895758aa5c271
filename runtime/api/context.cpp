// Contexts: what a thread works with.
#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/visible_devices.hpp"

using namespace davsim::runtime;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return api_call("aclrtCreateContext", [&] {
    require_pointer(context, "context");
    *context = Process::instance().create_context(deviceId);
  });
}

aclError aclrtDestroyContext(aclrtContext context) {
  return api_call("aclrtDestroyContext", [&] {
    require_pointer(context, "context");
    Process::instance().destroy_context(context);
  });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return api_call("aclrtSetCurrentContext", [&] {
    require_pointer(context, "context");
    Process::instance().use_context(context);
  });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return api_call("aclrtGetCurrentContext", [&] {
    require_pointer(context, "context");
    *context = Process::instance().context().get();
  });
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return api_call("aclrtCtxGetCurrentDefaultStream", [&] {
    require_pointer(stream, "stream");
    *stream = Process::instance().context()->default_stream.get();
  });
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  return api_call("aclrtGetPrimaryCtxState", [&] {
    require_pointer(active, "active");
    die_of(deviceId);
    if (flags != nullptr) *flags = 0;
    *active = Process::instance().device_is_set() ? 1 : 0;
  });
}
