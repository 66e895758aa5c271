// Streams, and waiting for them.
#include <cstring>
#include <new>

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/memory_pools.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/state_callbacks.hpp"
#include "runtime/core/timeout.hpp"

using namespace davsim::runtime;

struct aclrtStreamConfigHandle {
  std::size_t flag = 0;
  std::uint32_t priority = 0;

  void set(aclrtStreamConfigAttr attribute, const void* value, std::size_t bytes) {
    void* workspace = nullptr;
    switch (attribute) {
      case ACL_RT_STREAM_FLAG:
        return take(flag, value, bytes);
      case ACL_RT_STREAM_PRIORITY:
        return take(priority, value, bytes);
      case ACL_RT_STREAM_WORK_ADDR_PTR:
      case ACL_RT_STREAM_WORK_SIZE:  // for models
        return take(workspace, value, bytes);
    }
    throw ApiError(ACL_ERROR_INVALID_PARAM, "there is no attribute " + std::to_string(attribute));
  }

 private:
  template <class T>
  static void take(T& to, const void* value, std::size_t bytes) {
    if (bytes != sizeof(T)) {
      throw ApiError(ACL_ERROR_INVALID_PARAM, "valueSize is " + std::to_string(bytes) +
                                                  ", the attribute has " +
                                                  std::to_string(sizeof(T)));
    }
    std::memcpy(&to, value, bytes);
  }
};

namespace {

constexpr std::uint32_t kLeastPriority = 7;  ///< documented

[[noreturn]] void timed_out() {
  throw ApiError(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the work is not done within the timeout");
}

void synchronise_stream(aclrtStream stream, std::int32_t timeout) {
  const auto waited = Process::instance().stream(stream);
  Simulator& simulator = Simulator::instance();
  if (!simulator.synchronise(*waited, timeout_of(timeout))) timed_out();
  MemoryPools::instance().host_waited();
  require_sound(simulator, *waited);
}

void synchronise_device(std::int32_t timeout) {
  const auto device = static_cast<std::uint32_t>(Process::instance().context()->device);
  Simulator& simulator = Simulator::instance();
  if (!simulator.synchronise_device(device, timeout_of(timeout))) timed_out();
  simulator.host_waited_for_all(device);
  MemoryPools::instance().host_waited();
  require_device_sound(simulator);
}

void create_stream(aclrtStream* stream, std::uint32_t priority, std::uint32_t flags) {
  require_pointer(stream, "stream");
  if (priority > kLeastPriority) {
    refuse_rt("priority is " + std::to_string(priority) + ", allowed are 0 to 7");
  }
  *stream = Process::instance().create_stream(priority, flags);
  stream_callbacks().tell(*stream, ACL_RT_STREAM_STATE_CREATE_POST);
}

void destroy_stream(aclrtStream stream) {
  require_pointer(stream, "stream");
  Process::instance().stream(stream);
  stream_callbacks().tell(stream, ACL_RT_STREAM_STATE_DESTROY_PRE);
  Process::instance().destroy_stream(stream);
}

}  // namespace

aclError aclrtCreateStream(aclrtStream* stream) {
  return api_call("aclrtCreateStream", [&] { create_stream(stream, 0, 0); });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return api_call("aclrtCreateStreamWithConfig", [&] { create_stream(stream, priority, flag); });
}

aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() {
  return new (std::nothrow) aclrtStreamConfigHandle();
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  return api_call("aclrtDestroyStreamConfigHandle", [&] {
    require_pointer(handle, "handle");
    delete handle;
  });
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr,
                                 const void* attrValue, size_t valueSize) {
  return api_call("aclrtSetStreamConfigOpt", [&] {
    require_pointer(handle, "handle");
    require_pointer(attrValue, "attrValue");
    handle->set(attr, attrValue, valueSize);
  });
}

aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle) {
  return api_call("aclrtCreateStreamV2", [&] {
    const aclrtStreamConfigHandle config = handle == nullptr ? aclrtStreamConfigHandle() : *handle;
    create_stream(stream, config.priority, static_cast<std::uint32_t>(config.flag));
  });
}

aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
  return api_call("aclrtGetStreamAvailableNum", [&] {
    require_pointer(streamCount, "streamCount");
    *streamCount = Process::instance().streams_left();
  });
}

aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream) {
  return api_call("aclrtGetOverflowStatus", [&] {
    require_pointer(outputAddr, "outputAddr");
    if (outputSize == 0) throw ApiError(ACL_ERROR_INVALID_PARAM, "outputSize is 0");
    require_success(aclrtMemsetAsync(outputAddr, outputSize, 0, outputSize, stream));
  });
}

aclError aclrtResetOverflowStatus(aclrtStream stream) {
  return api_call("aclrtResetOverflowStatus", [&] { Process::instance().stream(stream); });
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return api_call("aclrtDestroyStream", [&] { destroy_stream(stream); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return api_call("aclrtDestroyStreamForce", [&] {
    require_pointer(stream, "stream");
    const auto destroyed = Process::instance().stream(stream);
    Simulator::instance().leave_group(*destroyed);
    Simulator::instance().abandon({destroyed});
    destroy_stream(stream);
  });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return api_call("aclrtSynchronizeStream", [&] { synchronise_stream(stream, -1); });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return api_call("aclrtSynchronizeStreamWithTimeout",
                  [&] { synchronise_stream(stream, timeout); });
}

aclError aclrtSynchronizeDevice() {
  return api_call("aclrtSynchronizeDevice", [] { synchronise_device(-1); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return api_call("aclrtSynchronizeDeviceWithTimeout", [&] { synchronise_device(timeout); });
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return api_call("aclrtStreamQuery", [&] {
    require_pointer(status, "status");
    const auto asked = Process::instance().stream(stream);
    const bool done = Simulator::instance().is_done(*asked);
    *status = done ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  });
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t) {
  return api_call("aclrtSetStreamOverflowSwitch", [&] { Process::instance().stream(stream); });
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return api_call("aclrtGetStreamOverflowSwitch", [&] {
    require_pointer(flag, "flag");
    Process::instance().stream(stream);
    *flag = 0;
  });
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  return api_call("aclrtStreamGetId", [&] {
    require_pointer(streamId, "streamId");
    *streamId = Process::instance().stream(stream)->id;
  });
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  return api_call("aclrtStreamGetPriority", [&] {
    require_pointer(priority, "priority");
    *priority = Process::instance().stream(stream)->priority;
  });
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  return api_call("aclrtStreamGetFlags", [&] {
    require_pointer(flags, "flags");
    *flags = Process::instance().stream(stream)->flags;
  });
}

aclError aclrtStreamAbort(aclrtStream stream) {
  return api_call("aclrtStreamAbort", [&] {
    const auto aborted = Process::instance().stream(stream);
    Simulator::instance().leave_group(*aborted);
    Simulator::instance().abandon({aborted});
    Simulator::instance().synchronise(*aborted);
  });
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return api_call("aclrtSetStreamFailureMode", [&] {
    Process::instance().stream(stream);
    if (mode > ACL_STOP_ON_FAILURE) {
      throw ApiError(ACL_ERROR_RT_PARAM_INVALID, "there is no mode " + std::to_string(mode));
    }
  });
}
