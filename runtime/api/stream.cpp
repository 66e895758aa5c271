// Streams, and waiting for them.
#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/timeout.hpp"

using namespace davsim::runtime;

namespace {

constexpr std::uint32_t kLeastPriority = 7;  ///< documented

[[noreturn]] void timed_out() {
  throw ApiError(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the work is not done within the timeout");
}

void synchronise_stream(aclrtStream stream, std::int32_t timeout) {
  const auto waited = Process::instance().stream(stream);
  Simulator& simulator = Simulator::instance();
  if (!simulator.synchronise(*waited, timeout_of(timeout))) timed_out();
  require_sound(simulator, *waited);
}

void synchronise_device(std::int32_t timeout) {
  const auto device = static_cast<std::uint32_t>(Process::instance().context()->device);
  Simulator& simulator = Simulator::instance();
  if (!simulator.synchronise_device(device, timeout_of(timeout))) timed_out();
  simulator.host_waited_for_all();
  require_device_sound(simulator);
}

void create_stream(aclrtStream* stream, std::uint32_t priority, std::uint32_t flags) {
  require_pointer(stream, "stream");
  if (priority > kLeastPriority) {
    refuse_rt("priority is " + std::to_string(priority) + ", allowed are 0 to 7");
  }
  *stream = Process::instance().create_stream(priority, flags);
}

void destroy_stream(aclrtStream stream) {
  require_pointer(stream, "stream");
  Process::instance().destroy_stream(stream);
}

}  // namespace

aclError aclrtCreateStream(aclrtStream* stream) {
  return api_call("aclrtCreateStream", [&] { create_stream(stream, 0, 0); });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return api_call("aclrtCreateStreamWithConfig", [&] { create_stream(stream, priority, flag); });
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return api_call("aclrtDestroyStream", [&] { destroy_stream(stream); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return api_call("aclrtDestroyStreamForce", [&] {
    require_pointer(stream, "stream");
    Simulator::instance().leave_group(*Process::instance().stream(stream));
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
