// Events.
#include <cmath>
#include <cstdio>

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/timeout.hpp"

using namespace davsim::runtime;

namespace {

void create(aclrtEvent* event, std::uint32_t flag, bool ex) {
  constexpr std::uint32_t kKnown =
      ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE | ACL_EVENT_EXTERNAL;
  require_pointer(event, "event");
  if ((flag & ~kKnown) != 0) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "flag is " + std::to_string(flag) +
                                                ", allowed are bits of " + std::to_string(kKnown) +
                                                ", those of ACL_EVENT_SYNC and its like");
  }
  *event = Process::instance().create_event(ex);
}

/// What was recorded last; null if nothing was.
std::shared_ptr<Recording> recorded(aclrtEvent event) {
  require_pointer(event, "event");
  const auto asked = Process::instance().event(event);
  const std::lock_guard lock(asked->mutex);
  return asked->last;
}

/// The same for the host, which cannot wait for what is captured.
std::shared_ptr<Recording> recorded_outside_capture(aclrtEvent event) {
  auto recording = recorded(event);
  if (recording && recording->captured) {
    throw ApiError(ACL_ERROR_RT_EVENT_CAPTURED,
                   "the event was recorded on a stream that was captured; it comes to pass on "
                   "streams only");
  }
  return recording;
}

bool is_complete(aclrtEvent event) {
  const auto recording = recorded_outside_capture(event);
  return !recording || Simulator::instance().queue().done(recording->ticket);
}

void synchronise(aclrtEvent event, std::int32_t timeout) {
  const auto recording = recorded_outside_capture(event);
  if (!recording) return;
  Simulator& simulator = Simulator::instance();
  if (!simulator.synchronise_to(recording->ticket, timeout_of(timeout))) {
    throw ApiError(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "the event is not there within the timeout");
  }
  simulator.host_waited(recording->at);
  require_device_sound(simulator);
}

Microseconds time_of(aclrtEvent event, const char* name) {
  const auto recording = recorded_outside_capture(event);
  if (!recording) {
    throw ApiError(ACL_ERROR_RT_PARAM_INVALID, std::string(name) + " was not recorded");
  }
  if (!Simulator::instance().queue().done(recording->ticket)) {
    throw ApiError(ACL_ERROR_RT_EVENT_NOT_COMPLETE,
                   std::string(name) + " is not there yet; synchronise it first");
  }
  return Simulator::instance().time_of(*recording);
}

}  // namespace

aclError aclrtCreateEvent(aclrtEvent* event) {
  return api_call("aclrtCreateEvent", [&] { create(event, ACL_EVENT_TIME_LINE, false); });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  return api_call("aclrtCreateEventWithFlag", [&] { create(event, flag, false); });
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return api_call("aclrtCreateEventExWithFlag", [&] { create(event, flag, true); });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  return api_call("aclrtDestroyEvent", [&] {
    require_pointer(event, "event");
    Process::instance().destroy_event(event);
  });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return api_call("aclrtRecordEvent", [&] {
    require_pointer(event, "event");
    const auto recorded_in = Process::instance().stream(stream);
    Simulator::instance().record(recorded_in, *Process::instance().event(event));
  });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return api_call("aclrtStreamWaitEvent", [&] {
    require_pointer(event, "event");
    const auto waiting = Process::instance().stream(stream);
    if (Simulator::instance().wait_for(waiting, *Process::instance().event(event))) return;
    std::fprintf(stderr,
                 "davsim: warning: aclrtStreamWaitEvent waits for an event that was not recorded; "
                 "the stream goes on\n");
  });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return api_call("aclrtResetEvent", [&] {
    require_pointer(event, "event");
    Process::instance().stream(stream);
    const auto reset = Process::instance().event(event);
    const std::lock_guard lock(reset->mutex);
    reset->last.reset();
  });
}

aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  return api_call("aclrtGetEventAvailNum", [&] {
    require_pointer(eventCount, "eventCount");
    *eventCount = Process::instance().events_left();
  });
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  return api_call("aclrtGetEventId", [&] {
    require_pointer(event, "event");
    require_pointer(eventId, "eventId");
    *eventId = Process::instance().event(event)->id;
  });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return api_call("aclrtSynchronizeEvent", [&] { synchronise(event, -1); });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return api_call("aclrtSynchronizeEventWithTimeout", [&] { synchronise(event, timeout); });
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return api_call("aclrtQueryEvent", [&] {
    require_pointer(status, "status");
    *status = is_complete(event) ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
  });
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return api_call("aclrtQueryEventStatus", [&] {
    require_pointer(status, "status");
    const bool there = recorded(event) ? is_complete(event) : Process::instance().event(event)->ex;
    *status = there ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return api_call("aclrtQueryEventWaitStatus", [&] {
    require_pointer(status, "status");
    *status = is_complete(event) ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
  });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return api_call("aclrtEventElapsedTime", [&] {
    require_pointer(ms, "ms");
    const Microseconds elapsed = time_of(endEvent, "endEvent") - time_of(startEvent, "startEvent");
    *ms = static_cast<float>(elapsed * 1e-3);
  });
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return api_call("aclrtEventGetTimestamp", [&] {
    require_pointer(timestamp, "timestamp");
    *timestamp = static_cast<std::uint64_t>(std::llround(time_of(event, "event")));
  });
}
