// Notifies: events that a stream resets when it has waited for them.
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
  const std::lock_guard lock(event.mutex);
  event.last.reset();
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
    Simulator::instance().record(Process::instance().stream(stream), *recorded);
  });
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t) {
  return api_call("aclrtWaitAndResetNotify", [&] {
    const auto awaited = notify_of(notify);
    const auto waiting = Process::instance().stream(stream);
    if (!Simulator::instance().wait_for(waiting, *awaited)) {
      throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     "the notify was not recorded; davsim works in the order of the host's calls, "
                     "in which aclrtRecordNotify has to come first");
    }
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
