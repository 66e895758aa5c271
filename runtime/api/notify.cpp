// Notifies: they are there from their recording until a stream has waited for them.
#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"

using namespace davsim::runtime;

namespace {

std::shared_ptr<Event> notify_of(aclrtNotify notify) {
  require_pointer(notify, "notify");
  return Process::instance().event(notify);
}

void reset(Event& event) {
  Simulator::instance().queue().between_work([&] { event.signal->there = false; });
  const std::lock_guard lock(event.mutex);
  event.last.reset();
}

/// Whether it was recorded in a capture, in which it is an event.
bool is_captured(Event& event) {
  const std::lock_guard lock(event.mutex);
  return event.last != nullptr;
}

}  // namespace

aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t) {
  return api_call("aclrtCreateNotify", [&] {
    require_pointer(notify, "notify");
    *notify = Process::instance().create_event(false);
  });
}

aclError aclrtDestroyNotify(aclrtNotify notify) {
  return api_call("aclrtDestroyNotify", [&] {
    require_pointer(notify, "notify");
    Process::instance().destroy_event(notify);
  });
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream) {
  return api_call("aclrtRecordNotify", [&] {
    const auto recorded = notify_of(notify);
    const auto recording = Process::instance().stream(stream);
    if (captured(*recording) != nullptr) {
      Simulator::instance().record(recording, *recorded);
    } else {
      Simulator::instance().signal(recording, recorded->signal);
    }
  });
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t) {
  return api_call("aclrtWaitAndResetNotify", [&] {
    const auto awaited = notify_of(notify);
    const auto waiting = Process::instance().stream(stream);
    if (!is_captured(*awaited)) {
      return Simulator::instance().wait_for_signal(waiting, awaited->signal);
    }
    Simulator::instance().wait_for(waiting, *awaited);
    reset(*awaited);
  });
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId) {
  return api_call("aclrtGetNotifyId", [&] {
    require_pointer(notifyId, "notifyId");
    *notifyId = notify_of(notify)->id;
  });
}

aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num) {
  return api_call("aclrtNotifyBatchReset", [&] {
    require_pointer(notifies, "notifies");
    for (std::size_t i = 0; i < num; ++i) reset(*notify_of(notifies[i]));
  });
}
