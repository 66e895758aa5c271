// Memory of the device and of the host, and copies between them.
#include <cstdio>
#include <cstring>

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"

using namespace davsim::runtime;

namespace {

void require_size(std::size_t size) {
  if (size == 0) throw ApiError(ACL_ERROR_INVALID_PARAM, "size is 0");
}

void require_within(std::size_t count, std::size_t most, const char* name) {
  if (count <= most) return;
  throw ApiError(ACL_ERROR_RT_PARAM_INVALID,
                 "count is " + std::to_string(count) + ", " + name + " is " + std::to_string(most));
}

/// A device copies at once, whatever its streams do. Here a launch that was given a pointer into
/// the block is waited for, so that results do not depend on the host's speed; the program is told.
void settle(const std::optional<DeviceMemory::Block>& block, const char* function) {
  if (!block || !block->device) return;
  Simulator& simulator = Simulator::instance();
  if (simulator.queue().on_own_thread() || simulator.queue().done(block->used_by)) return;
  static std::atomic_flag told;
  if (!told.test_and_set()) {
    std::fprintf(stderr,
                 "davsim: warning: %s touches memory that a queued kernel was given; the device "
                 "would not wait for the kernel, call aclrtSynchronizeStream first\n",
                 function);
  }
  simulator.queue().wait(block->used_by);
}

}  // namespace

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy) {
  return api_call("aclrtMalloc", [&] {
    require_pointer(devPtr, "devPtr");
    require_size(size);
    Process::instance().context();
    DeviceMemory& memory = Simulator::instance().memory();
    void* const start = memory.allocate(size);
    if (start == nullptr) {
      throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                     "the device has no room for " + std::to_string(size) + " bytes; " +
                         std::to_string(memory.allocated_bytes()) + " of " +
                         std::to_string(memory.capacity()) + " are taken");
    }
    *devPtr = start;
  });
}

aclError aclrtFree(void* devPtr) {
  return api_call("aclrtFree", [&] {
    require_pointer(devPtr, "devPtr");
    Simulator::instance().memory().free(devPtr);
  });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return api_call("aclrtMallocHost", [&] {
    require_pointer(hostPtr, "hostPtr");
    require_size(size);
    void* const start = Simulator::instance().memory().allocate_host(size);
    if (start == nullptr) {
      throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                     "the host has no room for " + std::to_string(size) + " bytes");
    }
    *hostPtr = start;
  });
}

aclError aclrtFreeHost(void* hostPtr) {
  return api_call("aclrtFreeHost", [&] {
    require_pointer(hostPtr, "hostPtr");
    Simulator::instance().memory().free_host(hostPtr);
  });
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind) {
  return api_call("aclrtMemcpy", [&] {
    require_pointer(dst, "dst");
    require_pointer(src, "src");
    require_within(count, destMax, "destMax");
    DeviceMemory& memory = Simulator::instance().memory();
    const auto to = memory.require_room(dst, count, "dst");
    const auto from = memory.require_room(src, count, "src");
    settle(to, "aclrtMemcpy");
    settle(from, "aclrtMemcpy");
    std::memmove(dst, src, count);
  });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return api_call("aclrtMemset", [&] {
    require_pointer(devPtr, "devPtr");
    require_within(count, maxCount, "maxCount");
    settle(Simulator::instance().memory().require_room(devPtr, count, "devPtr"), "aclrtMemset");
    std::memset(devPtr, value, count);
  });
}
