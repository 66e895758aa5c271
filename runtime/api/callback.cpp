// Functions of the program that streams call.
#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/timeout.hpp"

using namespace davsim::runtime;

namespace {

void call_back(aclrtStream stream, void (*function)(void*), void* argument, bool blocking) {
  require_pointer(reinterpret_cast<const void*>(function), "fn");
  const auto on = Process::instance().stream(stream);
  Simulator::instance().call_back(
      on, [function, argument] { function(argument); }, blocking);
}

}  // namespace

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream) {
  return api_call("aclrtLaunchCallback",
                  [&] { call_back(stream, fn, userData, blockType == ACL_CALLBACK_BLOCK); });
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return api_call("aclrtLaunchHostFunc", [&] { call_back(stream, fn, args, true); });
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return api_call("aclrtSubscribeReport", [&] {
    const auto subscribed = Process::instance().stream(stream);
    const std::lock_guard lock(subscribed->mutex);
    if (subscribed->subscriber) {
      throw ApiError(ACL_ERROR_RT_STREAM_SUBSCRIBE, "the stream has a thread for its callbacks");
    }
    subscribed->subscriber = threadId;
  });
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return api_call("aclrtUnSubscribeReport", [&] {
    const auto subscribed = Process::instance().stream(stream);
    {
      const std::lock_guard lock(subscribed->mutex);
      if (subscribed->subscriber != threadId) {
        throw ApiError(ACL_ERROR_RT_THREAD_SUBSCRIBE,
                       "the thread does not take the callbacks of the stream");
      }
      subscribed->subscriber.reset();
    }
    Simulator::instance().reports().drop(threadId);
  });
}

aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
  return aclrtSubscribeReport(hostFuncThreadId, exeStream);
}

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
  return aclrtUnSubscribeReport(hostFuncThreadId, exeStream);
}

aclError aclrtProcessHostFunc(int32_t timeout) {
  return aclrtProcessReport(timeout);
}

aclError aclrtProcessReport(int32_t timeout) {
  return api_call("aclrtProcessReport", [&] {
    if (Simulator::instance().reports().process(timeout_of(timeout))) return;
    throw ApiError(ACL_ERROR_RT_WAIT_TIMEOUT, "no callback came within the timeout");
  });
}
